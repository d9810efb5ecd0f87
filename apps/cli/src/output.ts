import type { Writable } from 'node:stream';
import { Presets, SingleBar } from 'cli-progress';
import type { JsonObject } from '#kernel';

export type Output = Writable & { readonly isTTY?: boolean };

/** Progress display: a bar on a terminal, else a line every few seconds. */
export interface Bar {
  show(done: number, of: number, text: string): void;
  end(): void;
}

const LINE_EVERY_MS = 5_000;

export function progressBar(out: Output): Bar {
  if (!out.isTTY) return progressLines(out);
  const format = '{bar} {percentage} %, {value} of {total} documents{text}';
  const options = { format, stream: out as NodeJS.WritableStream, hideCursor: true };
  const bar = new SingleBar(options, Presets.shades_classic);
  let started = false;
  return {
    show(done, of, text) {
      // The total can grow after the count at the start.
      const total = Math.max(done, of);
      if (started) bar.setTotal(total);
      else bar.start(total, done, { text });
      started = true;
      bar.update(done, { text });
    },
    end: () => bar.stop(),
  };
}

function progressLines(out: Output): Bar {
  let shownAt = Number.NEGATIVE_INFINITY;
  return {
    show(done, of, text) {
      const now = performance.now();
      if (now - shownAt < LINE_EVERY_MS) return;
      shownAt = now;
      out.write(`${done} of ${of} documents${text}\n`);
    },
    end: () => {},
  };
}

/** Writes one JSON value per line. */
export const jsonLine = (out: Output, line: JsonObject): void => void out.write(`${JSON.stringify(line)}\n`);

/** Replaces control characters, so that stored text cannot move the cursor of a terminal or change its colours. */
export const plain = (value: unknown): string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the expression removes control characters
  (typeof value === 'string' ? value : JSON.stringify(value)).replace(/[\u0000-\u001f\u007f-\u009f]/g, ' ');
