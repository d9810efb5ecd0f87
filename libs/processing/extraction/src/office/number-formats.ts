/** Codes that spreadsheets show in the form of the reader's country, and what is shown instead. */
const OF_THE_COUNTRY: ReadonlyMap<string, string> = new Map([
  ['m/d/yy', 'yyyy-mm-dd'],
  ['m/d/yyyy', 'yyyy-mm-dd'],
  ['m/d/yy h:mm', 'yyyy-mm-dd hh:mm'],
  ['m/d/yyyy h:mm', 'yyyy-mm-dd hh:mm'],
]);
/** Days from the first day of 1900 to that of 1904, from which some workbooks count. */
const DAYS_TO_1904 = 1_462;

/** How workbooks show values. */
export interface NumberFormats {
  /** The code of a format that a workbook names by a number and does not declare. */
  codeOf(id: number): string;
  /** A number as a workbook shows it. With the format `General`, all its digits. @param from1904 days are counted from 1904 */
  shownNumber(number: number, code: string, from1904: boolean): string;
  /** Words as a workbook shows them. */
  shownWords(words: string, code: string): string;
}

/** Loads the formats of Excel. */
export async function numberFormats(): Promise<NumberFormats> {
  const { format, getFormatDateInfo, getFormatFromId } = await import('numfmt');
  const shown = (value: number | string, code: string): string | null => {
    try {
      return format(OF_THE_COUNTRY.get(code) ?? code, value, { locale: 'en' }).trim();
    } catch {
      // The code is of no format.
      return null;
    }
  };
  /** Not one of a duration. */
  const isDate = (code: string): boolean => {
    const { year, month, day } = getFormatDateInfo(code);
    return year || month || day;
  };
  return {
    codeOf: (id) => getFormatFromId(id) ?? 'General',
    shownNumber: (number, code, from1904) => {
      // Fractions are binary.
      const plain = String(Number.isSafeInteger(number) ? number : Number(number.toPrecision(15)));
      if (isPlain(code)) return plain;
      return shown(from1904 && isDate(code) ? number + DAYS_TO_1904 : number, code) ?? plain;
    },
    shownWords: (words, code) => (isPlain(code) || !code.includes('@') ? words : (shown(words, code) ?? words)),
  };
}

const isPlain = (code: string): boolean => code === '' || code === '@' || code === 'General' || code === 'GENERAL';
