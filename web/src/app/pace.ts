// Lets words go one by one, so that people can watch: a server writes a word in
// a millisecond.

const kPause = 100; // ms between words
const kLongest = 4000; // ms that those who wait may take; then they go faster

export function pauseOf(waiting: number): number {
  return Math.min(kPause, kLongest / Math.max(1, waiting));
}

export interface Queue {
  waiting(): number;
  /** Lets as many go. */
  release(count: number): void;
}

export class Pace {
  private timer: ReturnType<typeof setTimeout> | undefined;
  private last = -Infinity; // when a word went
  private due = 0; // when the next is to go
  private ending = false;
  private stopped = false;
  private done!: () => void;
  /** Fulfilled when the last word went, or none will. */
  readonly drained = new Promise<void>((done) => (this.done = done));

  constructor(
    private queue: Queue,
    private atOnce: boolean,
  ) {}

  get waits(): boolean {
    return this.queue.waiting() > 0;
  }

  /** To be called when there may be something to let go. */
  wake(): void {
    if (this.stopped) return;
    const waiting = this.queue.waiting();
    if (this.atOnce) this.queue.release(waiting);
    else if (waiting > 0 && this.timer === undefined) {
      const now = performance.now();
      this.due = Math.max(now, this.last + pauseOf(waiting));
      this.timer = setTimeout(() => this.tick(), this.due - now);
    }
    if (this.ending && this.queue.waiting() === 0) this.done();
  }

  private tick(): void {
    const now = performance.now();
    const waiting = this.queue.waiting();
    // Timers are late, and in a tab that nobody sees very late.
    const late = Math.max(0, Math.floor((now - this.due) / pauseOf(waiting)));
    this.timer = undefined;
    this.last = now;
    this.queue.release(Math.min(1 + late, waiting));
    this.wake();
  }

  /** All at once, now and from now on. */
  hurry(): void {
    if (this.stopped) return;
    this.atOnce = true;
    clearTimeout(this.timer);
    this.timer = undefined;
    this.wake();
  }

  /** No more will come. */
  end(): void {
    this.ending = true;
    this.wake();
  }

  /** Nothing goes any more; what waits is left. */
  stop(): void {
    this.stopped = true;
    clearTimeout(this.timer);
    this.done();
  }
}
