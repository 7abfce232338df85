// fovea serve as a process: signals, flags, several models.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <thread>

#include "support/command.h"
#include "support/served.h"
#include "support/temp_folder.h"
#include "support/translator_folder.h"

namespace fovea {
namespace {

using namespace fovea::testing;
using namespace std::chrono_literals;
using testing::Json;

// The command, listening on a port of its own.
class ServeProcess {
 public:
  explicit ServeProcess(std::vector<std::string> more) {
    std::vector<std::string> arguments = {
        FOVEA_COMMAND_PATH, "--quiet", "--threads", "2", "serve",
        "--port",           "0"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    int ends[2];
    EXPECT_EQ(::pipe(ends), 0);
    id_ = ::fork();
    if (id_ == 0) {
      ::dup2(ends[1], STDOUT_FILENO);
      std::vector<char*> argv;
      for (std::string& a : arguments) argv.push_back(a.data());
      argv.push_back(nullptr);
      ::execv(argv[0], argv.data());
      ::_exit(99);
    }
    ::close(ends[1]);
    std::FILE* output = ::fdopen(ends[0], "r");
    char line[200] = "";
    if (std::fgets(line, sizeof(line), output) != nullptr) ready_ = line;
    std::fclose(output);
    const size_t colon = ready_.rfind(':');
    if (colon != std::string::npos) port_ = std::stoi(ready_.substr(colon + 1));
  }
  ~ServeProcess() {
    if (id_ > 0) end(SIGKILL);
  }

  int port() const { return port_; }
  const std::string& ready() const { return ready_; }
  void signal(int number) const { ::kill(id_, number); }
  int end(int number) {
    signal(number);
    int status = 0;
    ::waitpid(id_, &status, 0);
    id_ = -1;
    return WIFSIGNALED(status) ? 1000 + WTERMSIG(status) : WEXITSTATUS(status);
  }

 private:
  pid_t id_ = -1;
  int port_ = 0;
  std::string ready_;
};

TEST(Serve, ServesTheBoxOnThisMachineUntilItIsStopped) {
  ServeProcess server({});
  EXPECT_TRUE(server.ready().starts_with("listening on http://127.0.0.1:"));
  HttpClient client(server.port());
  const HttpAnswer answer =
      client.post("/v1/translate", R"({"text": "Thank you."})");
  EXPECT_EQ(json_of(answer)["translations"][0]["translation"], "Merci.");
  EXPECT_EQ(server.end(SIGTERM), 143);
}

TEST(Serve, HasSeveralModels) {
  const TempFolder folder;
  write_model_folder(folder.file("one"));
  write_model_folder(folder.file("two"), {.seed = 9});
  ServeProcess server(
      {folder.file("one"), folder.file("two"), "--languages", "en-fr,de-fr"});
  HttpClient client(server.port());
  const auto translated = [&](const std::string& body) {
    return json_of(client.post("/v1/translate", body))["translations"];
  };
  const Json one = translated(R"({"text": "the cat sees two birds !"})");
  EXPECT_EQ(one, translated(R"({"text": "the cat sees two birds !",
                                "model": "one"})"));
  EXPECT_NE(one, translated(R"({"text": "the cat sees two birds !",
                                "model": "two"})"));
  EXPECT_EQ(json_of(client.get("/languages")).size(), 3u);
  EXPECT_EQ(server.end(SIGINT), 130);
}

TEST(Serve, LosesNoRequestWhenItIsStoppedOrLoadsAnew) {
  const TempFolder folder;
  ServeProcess server({write_model_folder(folder.file("m"))});
  std::atomic<int> answered = 0, wrong = 0;
  std::vector<std::thread> clients;
  for (int i = 0; i < 8; ++i) {
    clients.emplace_back([&] {
      HttpClient client(server.port());
      for (;;) {
        const HttpAnswer answer = client.post(
            "/v1/translate", R"({"text": "the cat sees two birds !"})");
        wrong += answer.status != 200;
        ++answered;
        if (answer.status == 0 || answer.headers.at("connection") == "close") {
          return;
        }
      }
    });
  }
  const auto wait_for_more = [&] {
    const int before = answered;
    while (answered < before + 50) std::this_thread::sleep_for(5ms);
  };
  for (int i = 0; i < 3; ++i) {
    wait_for_more();
    server.signal(SIGHUP);
  }
  wait_for_more();
  EXPECT_EQ(server.end(SIGTERM), 143);
  for (std::thread& client : clients) client.join();
  EXPECT_EQ(wrong, 0);
}

bool make_certificate(const std::string& key, const std::string& cert,
                      const std::string& name) {
  const Outcome made = run_command(
      "openssl", {"req", "-x509", "-newkey", "ec", "-pkeyopt",
                  "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", key,
                  "-out", cert, "-days", "2", "-subj", "/CN=" + name});
  return made.code == 0;
}

TEST(Serve, SpeaksTls) {
  const TempFolder folder;
  const std::string key = folder.file("key.pem"),
                    cert = folder.file("cert.pem");
  if (!make_certificate(key, cert, "localhost")) {
    GTEST_SKIP() << "there is no openssl";
  }
  ServeProcess server({write_model_folder(folder.file("m")), "--tls-cert", cert,
                       "--tls-key", key});
  EXPECT_NE(server.ready().find("https://"), std::string::npos);
  HttpClient client(server.port(), true);
  EXPECT_EQ(client.get("/health").status, 200);
  EXPECT_EQ(client.post("/v1/translate", R"({"text": "my dog"})").status, 200);
  HttpClient plain(server.port());
  EXPECT_EQ(plain.get("/health").status, 0);
}

template <class Condition>
bool soon(const Condition& holds) {
  for (int i = 0; i < 500 && !holds(); ++i) std::this_thread::sleep_for(20ms);
  return holds();
}

TEST(Serve, ReadsAllItsFilesAnewOnSighup) {
  const TempFolder folder;
  const std::string key = folder.file("key.pem"),
                    cert = folder.file("cert.pem"), log = folder.file("log");
  if (!make_certificate(key, cert, "first")) {
    GTEST_SKIP() << "there is no openssl";
  }
  ServeProcess server({write_model_folder(folder.file("m")), "--tls-cert", cert,
                       "--tls-key", key, "--access-log", log, "--api-keys",
                       folder.write("keys", "secret-one\n")});
  const auto status = [&](const std::string& api_key) {
    return HttpClient(server.port(), true)
        .get("/v1/models", "X-API-Key: " + api_key + "\r\n")
        .status;
  };
  const auto name = [&] {
    return HttpClient(server.port(), true).certificate_name();
  };
  EXPECT_EQ(status("secret-one"), 200);
  EXPECT_EQ(name(), "first");
  folder.write("keys", "secret-two\n");
  ASSERT_TRUE(make_certificate(key, cert, "second"));
  std::filesystem::rename(log, folder.file("old"));
  server.signal(SIGHUP);
  EXPECT_TRUE(soon([&] { return status("secret-two") == 200; }));
  EXPECT_EQ(status("secret-one"), 401);
  EXPECT_TRUE(soon([&] { return name() == "second"; }));
  EXPECT_TRUE(soon([&] { return std::filesystem::exists(log); }));
  // One that cannot be read stays as it was, and the others are taken.
  folder.write("cert.pem", "none");
  folder.write("keys", "secret-three\n");
  server.signal(SIGHUP);
  EXPECT_TRUE(soon([&] { return status("secret-three") == 200; }));
  EXPECT_EQ(name(), "second");
}

TEST(Serve, NamesAFileOfTlsThatIsMissing) {
  const TempFolder folder;
  const std::string missing = folder.file("missing.pem");
  const Outcome outcome = run_command(
      FOVEA_COMMAND_PATH,
      {"serve", "--port", "0", "--tls-cert", missing, "--tls-key", missing},
      "timeout 20");
  EXPECT_EQ(outcome.code, 3);
  EXPECT_NE(outcome.err.find(missing + ": there is no such file"),
            std::string::npos)
      << outcome.err;
}

TEST(Serve, NamesFlagsThatMakeNoSense) {
  const TempFolder folder;
  const std::string text = folder.write("no.pem", "none");
  const std::vector<std::pair<std::vector<std::string>, int>> cases = {
      {{"--port", "70000"}, 2},
      {{"--queue", "0"}, 2},
      {{"--tls-cert", text}, 2},
      {{"--tls-cert", text, "--tls-key", text}, 3},
      {{"--languages", "en-fr,de-en"}, 2},
      {{"--api-keys", folder.file("missing")}, 3},
      {{"--cors", "example.org"}, 2},
      {{"--host", "no.such.host.invalid"}, 2},
      {{"--max-txt", "5"}, 2},
      {{folder.file("missing")}, 3},
      {{"box", "box"}, 2}};
  for (const auto& [more, code] : cases) {
    std::vector<std::string> arguments = {"serve"};
    if (more[0] != "--port") arguments.insert(arguments.end(), {"--port", "0"});
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Outcome outcome =
        run_command(FOVEA_COMMAND_PATH, arguments, "timeout 20");
    EXPECT_EQ(outcome.code, code) << more.front() << outcome.err;
    EXPECT_EQ(outcome.out, "");
  }
}

}  // namespace
}  // namespace fovea
