import type { Writable } from 'node:stream';
import { MultiBar, Presets, type SingleBar } from 'cli-progress';

export interface ProgressBarOptions {
  /** Of `cli-progress`, e.g. `{name} {bar} {percentage} %`. */
  readonly format: string;
  /** Characters. Default: 40. */
  readonly width?: number;
}

/** Progress bars on a terminal, one per key. */
export class ProgressBars {
  readonly #bars: MultiBar;
  readonly #byKey = new Map<string, SingleBar>();

  /** Returns null if the output is not a terminal. */
  static on(out: Writable & { readonly isTTY?: boolean }, options: ProgressBarOptions): ProgressBars | null {
    return out.isTTY ? new ProgressBars(out, options) : null;
  }

  private constructor(out: Writable, { format, width = 40 }: ProgressBarOptions) {
    const stream = out as NodeJS.WritableStream;
    this.#bars = new MultiBar({ format, stream, hideCursor: true, barsize: width }, Presets.shades_classic);
  }

  /** @param fields values of the further placeholders in the format */
  show(key: string, done: number, total: number, fields: Readonly<Record<string, string>>): void {
    const bar = this.#byKey.get(key);
    if (bar === undefined) {
      this.#byKey.set(key, this.#bars.create(total, done, fields));
      return;
    }
    bar.setTotal(total);
    bar.update(done, fields);
  }

  end(): void {
    this.#bars.stop();
  }
}
