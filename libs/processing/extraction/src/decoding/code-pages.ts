/** Code pages of Windows and Macintosh that the Encoding Standard knows under another name than `windows-<number>`. */
const LABELS: ReadonlyMap<number, string> = new Map([
  [866, 'ibm866'],
  [932, 'shift_jis'],
  [936, 'gbk'],
  [949, 'euc-kr'],
  [950, 'big5'],
  [10000, 'macintosh'],
  [10001, 'shift_jis'],
  [10002, 'big5'],
  [10003, 'euc-kr'],
  [10007, 'x-mac-cyrillic'],
  [10008, 'gbk'],
  [20127, 'windows-1252'],
  [20866, 'koi8-r'],
  [21866, 'koi8-u'],
  [20932, 'euc-jp'],
  [51932, 'euc-jp'],
  [51936, 'gbk'],
  [51949, 'euc-kr'],
  [54936, 'gb18030'],
  [65001, 'utf-8'],
]);

/** Returns the label of the Encoding Standard for a code page of Windows. Null: it has none. */
export function labelOfCodePage(codePage: number): string | null {
  const label = LABELS.get(codePage);
  if (label !== undefined) return label;
  if (codePage === 874 || (codePage >= 1250 && codePage <= 1258)) return `windows-${codePage}`;
  const part = codePage - 28_590;
  if (part === 1) return 'windows-1252';
  return part >= 2 && part <= 16 && part !== 9 && part !== 11 && part !== 12 ? `iso-8859-${part}` : null;
}
