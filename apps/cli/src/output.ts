import type { Writable } from 'node:stream';
import type { JsonObject } from '#platform/kernel';
import { ProgressBars } from '#platform/progress-bars';

export type Output = Writable & { readonly isTTY?: boolean };

/** Progress display: a bar on a terminal, else a line every few seconds. */
export interface Bar {
  show(done: number, of: number, text: string): void;
  end(): void;
}

const LINE_EVERY_MS = 5_000;

/** @param unit of the numbers, e.g. `documents` */
export function progressBar(out: Output, unit: string): Bar {
  const bars = ProgressBars.on(out, { format: `{bar} {percentage} %, {value} of {total} ${unit}{text}` });
  if (bars === null) return progressLines(out, unit);
  return {
    // The total can grow after the count at the start.
    show: (done, of, text) => bars.show('', done, Math.max(done, of), { text }),
    end: () => bars.end(),
  };
}

function progressLines(out: Output, unit: string): Bar {
  let shownAt = Number.NEGATIVE_INFINITY;
  return {
    show(done, of, text) {
      const now = performance.now();
      if (now - shownAt < LINE_EVERY_MS) return;
      shownAt = now;
      out.write(`${done} of ${of} ${unit}${text}\n`);
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
