/** Classes of browsers that the parser draws with. Its package brings them as native code, which is not installed. */
const DRAWING = ['DOMMatrix', 'ImageData', 'Path2D'];

/** Loads the parser of PDF files, for reading their text: nothing can be drawn. */
export async function loadParser() {
  for (const name of DRAWING) {
    // It makes a matrix when it is loaded.
    if (!(name in globalThis)) Object.assign(globalThis, { [name]: class {} });
  }
  const parser = await import('pdfjs-dist/legacy/build/pdf.mjs');
  const folder = new URL('../../', import.meta.resolve('pdfjs-dist/legacy/build/pdf.mjs'));
  return { ...parser, folder: decodeURIComponent(folder.pathname) };
}
