import type { Writable } from 'node:stream';
import { ProgressBars } from '#platform/progress-bars';
import type { InstallProgress } from '#ports/models';

const MEGABYTE = 1_000_000;

export const megabytes = (bytes: number): string => (bytes / MEGABYTE).toFixed(1);

/** Shows how far an installation is: a bar for each source on a terminal, a line for each source in a file. */
export class ProgressDisplay {
  readonly #bars: ProgressBars | null;
  readonly #out: Writable;
  #shown = '';

  static on(out: Writable & { readonly isTTY?: boolean }): ProgressDisplay {
    return new ProgressDisplay(out, ProgressBars.on(out, { format: '{source} {bar} {percentage} %{size}' }));
  }

  private constructor(out: Writable, bars: ProgressBars | null) {
    this.#out = out;
    this.#bars = bars;
  }

  /** The bar of the previous source stays visible. */
  readonly show = ({ source, receivedBytes, totalBytes }: InstallProgress): void => {
    const size = `, ${megabytes(receivedBytes)} of ${megabytes(totalBytes)} MB`;
    if (this.#bars === null) this.#line(source, `${source}: ${megabytes(totalBytes)} MB`);
    else this.#bars.show(source, receivedBytes, totalBytes, { source, size });
  };

  /** Of a source that says no sizes: its bar is full when the work is done. */
  async during<T>(source: string, work: () => Promise<T>): Promise<T> {
    if (this.#bars === null) this.#line(source, source);
    else this.#bars.show(source, 0, 1, { source, size: '' });
    const result = await work();
    this.#bars?.show(source, 1, 1, { source, size: '' });
    return result;
  }

  end(): void {
    this.#bars?.end();
  }

  #line(source: string, text: string): void {
    if (source === this.#shown) return;
    this.#shown = source;
    this.#out.write(`${text}\n`);
  }
}
