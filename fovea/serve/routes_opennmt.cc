// What clients of OpenNMT's REST server ask for.
#include "fovea/base/check.h"
#include "fovea/serve/http_error.h"
#include "fovea/serve/routes.h"

namespace fovea {
namespace {

constexpr int kFirstId = 100;  // of models, as theirs begin

ModelRef model_of(const Services& services, const Json& request) {
  const ModelRef first = services.models.find("");
  if (!request.contains("id")) return first;
  const std::vector<ModelRef> models = services.models.all();
  const Json& id = request["id"];
  const int64_t index =
      id.is_number_integer() ? id.get<int64_t>() - kFirstId : -1;
  check_request(index >= 0 && index < std::ssize(models), 404,
                "\"id\" must be one of /translator/models");
  return models[index];
}

}  // namespace

void answer_opennmt_translate(const Services& services, const CallRef& call) {
  const Json list = parse_list(call->request().body);
  check_request(!list.empty(), 400, "the body has no text");
  check_number(list.size(), "src");
  TranslateCall wanted;
  const ModelRef model = model_of(services, list.front());
  for (const Json& one : list) {
    const size_t i = wanted.requests.size();
    check_request(
        one.is_object() && one.contains("src") && one["src"].is_string(), 400,
        "[", i, "].src must be a text");
    check_request(model_of(services, one) == model, 400,
                  "all texts must have the same \"id\"");
    wanted.requests.push_back({one["src"], "", i});
    check_text(wanted.requests.back().text, join("[", i, "].src"),
               services.limits);
  }
  queue_translation(Call::order(call, services), model, wanted,
                    {.done = [call, wanted, &metrics = services.metrics](
                                 const TranslateEvents::Found& found,
                                 const TokenAmounts& amounts) {
                      metrics.translated(amounts.sentences, amounts.source,
                                         amounts.target);
                      Json all = Json::array();
                      for (size_t i = 0; i < found.size(); ++i) {
                        const Translation& best = found[i].front();
                        all.push_back({{"src", wanted.requests[i].text},
                                       {"tgt", best.text},
                                       {"n_best", 1},
                                       {"pred_score", rounded(best.score)}});
                      }
                      call->send(Json::array({all}));
                    }});
}

void answer_opennmt_models(const Services& services, const CallRef& call) {
  Json all = Json::array();
  for (const ModelRef& model : services.models.all()) {
    all.push_back({{"model_id", kFirstId + std::ssize(all)},
                   {"models", Json::array({model->place.name})},
                   {"opt", Json::object()},
                   {"loaded", true},
                   {"timeout", 0}});
  }
  call->send(all);
}

}  // namespace fovea
