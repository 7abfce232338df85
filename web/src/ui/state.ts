// What the reader chose, kept in the fragment of the address, so that a link
// shows the same picture again. Nothing of it is sent anywhere.

export class State {
  private values = new Map<string, string>();
  private listeners: (() => void)[] = [];
  private opened: (() => void)[] = [];

  constructor(fragment: string) {
    this.read(fragment);
  }

  private read(fragment: string): void {
    this.values.clear();
    for (const [key, value] of new URLSearchParams(fragment.replace(/^#/, "")))
      this.values.set(key, value);
  }

  text(key: string, otherwise = ""): string {
    return this.values.get(key) ?? otherwise;
  }

  /** A whole number in 0..size-1, or what is given otherwise. */
  index(key: string, size: number, otherwise = 0): number {
    const raw = this.values.get(key);
    const value = raw === undefined || raw === "" ? NaN : Number(raw);
    return Number.isInteger(value) && value >= 0 && value < size
      ? value
      : Math.min(otherwise, Math.max(0, size - 1));
  }

  number(key: string, otherwise: number): number {
    const raw = this.values.get(key);
    const value = raw === undefined || raw === "" ? NaN : Number(raw);
    return Number.isFinite(value) ? value : otherwise;
  }

  flag(key: string, otherwise = false): boolean {
    const value = this.values.get(key);
    return value === undefined ? otherwise : value === "1";
  }

  set(key: string, value: string | number | boolean): void {
    const written = typeof value === "boolean" ? (value ? "1" : "0") : value;
    this.values.set(key, String(written));
    for (const listener of this.listeners) listener();
  }

  remove(key: string): void {
    this.values.delete(key);
    for (const listener of this.listeners) listener();
  }

  /** Takes all from a link that was opened. */
  open(fragment: string): void {
    this.read(fragment);
    for (const listener of this.opened) listener();
  }

  fragment(): string {
    return "#" + new URLSearchParams([...this.values]).toString();
  }

  onChange(listener: () => void): void {
    this.listeners.push(listener);
  }

  onOpen(listener: () => void): void {
    this.opened.push(listener);
  }
}

/**
 * The state of this page, written to its address soon after it changes: a
 * slider changes it more often than browsers let an address change.
 */
export function pageState(): State {
  const state = new State(location.hash);
  let timer: ReturnType<typeof setTimeout> | undefined;
  state.onChange(() => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      try {
        history.replaceState(null, "", state.fragment());
      } catch {
        // Some browsers refuse this for files; only the link is lost.
      }
    }, 150);
  });
  // Not by us: replaceState() does not tell.
  addEventListener("hashchange", () => {
    clearTimeout(timer);
    state.open(location.hash);
  });
  return state;
}

/** The address that shows what is seen now. */
export function addressOf(state: State): string {
  return location.href.replace(/#.*$/, "") + state.fragment();
}
