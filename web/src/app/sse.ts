// Server-sent events of an answer to POST, which EventSource cannot read.

export interface ServerEvent {
  event: string;
  data: string;
}

/** Takes text in pieces as it comes; gives events as they are complete. */
export class EventReader {
  private rest = "";
  private event = "";
  private data: string[] = [];

  feed(text: string): ServerEvent[] {
    const events: ServerEvent[] = [];
    const lines = (this.rest + text).split(/\r\n|\n|\r(?!$)/);
    this.rest = lines.pop() ?? "";
    for (const line of lines) {
      if (line === "") {
        const done = this.finish();
        if (done) events.push(done);
      } else {
        this.field(line);
      }
    }
    return events;
  }

  private field(line: string): void {
    const colon = line.indexOf(":");
    if (colon === 0) return; // a comment keeps the line open
    const name = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (name === "event") this.event = value;
    else if (name === "data") this.data.push(value);
  }

  private finish(): ServerEvent | null {
    const event = { event: this.event || "message", data: this.data.join("\n") };
    const empty = this.data.length === 0;
    this.event = "";
    this.data = [];
    return empty ? null : event;
  }
}
