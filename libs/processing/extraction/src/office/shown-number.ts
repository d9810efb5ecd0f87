import { serialDate } from './serial-date.ts';

/** How a workbook shows a number. */
interface NumberFormat {
  readonly isDate: boolean;
  readonly isPercent: boolean;
  /** Days are counted from 1904 and not from 1900. */
  readonly from1904: boolean;
}

/** Writes a number as text: dates in ISO 8601, shares in percent, and without the digits of binary fractions. */
export function shownNumber(number: number, { isDate, isPercent, from1904 }: NumberFormat): string {
  const date = isDate ? serialDate(number, from1904) : null;
  if (date !== null) return date;
  return isPercent && !isDate ? `${Number((number * 100).toPrecision(15))}%` : String(Number(number.toPrecision(15)));
}
