import { kindOf } from './cell-kinds.ts';
import { csvRows } from './csv-rows.ts';

/** Of two that divide the rows equally well, the first one counts: it is rarer in words. */
const SEPARATORS = ['\t', ';', '|', ','] as const;
/** Rows that are looked at. */
const ROWS = 100;
/** A separator inside of words. It is not punctuation: in a sentence, a space follows a comma. */
const INSIDE = new RegExp(`[${SEPARATORS.join('')}](?=\\S)|\\t`);

interface CsvForm {
  readonly separator: string;
  /** Number of cells in most rows. */
  readonly width: number;
}

/**
 * Finds the separator that makes rows alike: most rows have the same number of cells with it, and the cells do not hold other
 * separators.
 * @param separators that are tried
 */
export function csvForm(text: string, separators: readonly string[] = SEPARATORS): CsvForm {
  let best = { separator: separators[0] ?? ',', width: 1, score: 0 };
  for (const separator of separators) {
    const form = formBy(text, separator);
    if (form.score > best.score) best = form;
  }
  return best;
}

function formBy(text: string, separator: string) {
  const counts = new Map<number, number>();
  let rows = 0;
  let cells = 0;
  let divided = 0;
  for (const row of csvRows(text, separator, 0)) {
    if (row.cells.length === 1 && row.cells[0]?.trim() === '') continue;
    rows += 1;
    if (row.cells.length > 1) {
      // A wrong separator makes quotes look stray.
      counts.set(row.cells.length, (counts.get(row.cells.length) ?? 0) + (row.isDamaged ? 0.5 : 1));
      cells += row.cells.length;
      divided += row.cells.filter((words) => INSIDE.test(words) && kindOf(words.trim()) === 'text').length;
    }
    if (rows === ROWS) break;
  }
  const [width, alike] = [...counts].reduce((most, next) => (next[1] > most[1] ? next : most), [1, 0]);
  return { separator, width, score: alike === 0 ? 0 : (alike / rows) * (1 - divided / cells) };
}
