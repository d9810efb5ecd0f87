/** Makes PDF files for specs. */

interface Run {
  readonly text: string;
  readonly x: number;
  /** From the bottom of the page. */
  readonly y: number;
  readonly size?: number;
}

const escaped = (text: string): string => text.replace(/[\\()]/g, (one) => `\\${one}`);

/** Lines of text at a place of the page, from top to bottom. */
export const lines = (texts: readonly string[], { x = 60, y = 780, size = 11 } = {}): Run[] =>
  texts.map((text, i) => ({ text, x, y: y - i * size * 1.3, size }));

/** A picture that fills its page. */
interface Scan {
  readonly jpeg: Uint8Array;
  /** Pixels. */
  readonly width: number;
  readonly height: number;
  /** What is written over it. */
  readonly runs?: readonly Run[];
}

const isScan = (page: readonly Run[] | Scan): page is Scan => 'jpeg' in page;

/** @param info entries of the document's information, as they are written */
export function pdfOf(pages: readonly (readonly Run[] | Scan)[], info: Readonly<Record<string, string>> = {}): Buffer {
  const objects: string[] = [];
  const add = (body: string): number => objects.push(body);
  const font = add('<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>');
  const tree = pages.length * 2 + pages.filter(isScan).length + 2;
  // Two objects for each page, and one for each picture.
  const kids = pages.map((page) => {
    const runs = isScan(page) ? (page.runs ?? []) : page;
    const words = runs.map(
      ({ text, x, y, size = 11 }) => `BT /F1 ${size} Tf 1 0 0 1 ${x} ${y} Tm (${escaped(text)}) Tj ET`,
    );
    const stream = [...(isScan(page) ? ['q 595 0 0 842 0 0 cm /Im1 Do Q'] : []), ...words].join('\n');
    const picture = isScan(page) ? `/XObject << /Im1 ${add(pictureObject(page))} 0 R >>` : '';
    const content = add(`<< /Length ${Buffer.byteLength(stream, 'latin1')} >>\nstream\n${stream}\nendstream`);
    const resources = `<< /Font << /F1 ${font} 0 R >> ${picture} >>`;
    const box = '/MediaBox [0 0 595 842]';
    return add(`<< /Type /Page /Parent ${tree} 0 R ${box} /Contents ${content} 0 R /Resources ${resources} >>`);
  });
  add(`<< /Type /Pages /Count ${kids.length} /Kids [${kids.map((kid) => `${kid} 0 R`).join(' ')}] >>`);
  const root = add(`<< /Type /Catalog /Pages ${tree} 0 R >>`);
  const entries = Object.entries(info).map(([name, value]) => `/${name} (${escaped(value)})`);
  const infoObject = add(`<< ${entries.join(' ')} >>`);
  return assembled(objects, `/Root ${root} 0 R /Info ${infoObject} 0 R`);
}

function pictureObject({ jpeg, width, height }: Scan): string {
  const size = `/Width ${width} /Height ${height} /ColorSpace /DeviceGray /BitsPerComponent 8`;
  const data = Buffer.from(jpeg).toString('latin1');
  return `<< /Type /XObject /Subtype /Image ${size} /Filter /DCTDecode /Length ${jpeg.length} >>\nstream\n${data}\nendstream`;
}

/** A PDF of objects, numbered from 1. */
export function assembled(objects: readonly string[], trailer: string): Buffer {
  let file = '%PDF-1.7\n';
  const offsets = objects.map((body, i) => {
    const offset = file.length;
    file += `${i + 1} 0 obj\n${body}\nendobj\n`;
    return offset;
  });
  const table = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('');
  const size = objects.length + 1;
  const xref = file.length;
  file += `xref\n0 ${size}\n0000000000 65535 f \n${table}trailer\n<< /Size ${size} ${trailer} >>\nstartxref\n${xref}\n%%EOF\n`;
  return Buffer.from(file, 'latin1');
}
