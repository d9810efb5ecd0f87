/**
 * Loads the parser of PDF files. In a program it takes the classes of browsers that it draws with from `@napi-rs/canvas`
 * itself, but not in a test, whose modules have other globals.
 */
async function loadParser() {
  const { DOMMatrix, ImageData, Path2D } = await import('@napi-rs/canvas');
  for (const [name, value] of Object.entries({ DOMMatrix, ImageData, Path2D })) {
    if (!(name in globalThis)) Object.assign(globalThis, { [name]: value });
  }
  const parser = await import('pdfjs-dist/legacy/build/pdf.mjs');
  const folder = new URL('../../', import.meta.resolve('pdfjs-dist/legacy/build/pdf.mjs'));
  return { ...parser, folder: decodeURIComponent(folder.pathname) };
}

type Parser = Awaited<ReturnType<typeof loadParser>>;
export type Pdf = Awaited<ReturnType<Parser['getDocument']>['promise']>;
export type PdfPage = Awaited<ReturnType<Pdf['getPage']>>;
export type Operations = Parser['OPS'];

/** Pictures of more pixels are left out when a page is drawn, and nearly all where its text is read. */
const MAX_IMAGE_PIXELS = 100_000_000;
const NO_IMAGE_PIXELS = 1;

/** Opens a PDF; nothing that it names is loaded or run. `close` frees what it holds. */
export async function openPdf(bytes: Uint8Array, { isForText = false } = {}) {
  const { getDocument, VerbosityLevel, OPS, folder } = await loadParser();
  const loading = getDocument({
    // The parser takes the buffer as its own.
    data: new Uint8Array(bytes),
    cMapUrl: `${folder}cmaps/`,
    cMapPacked: true,
    standardFontDataUrl: `${folder}standard_fonts/`,
    wasmUrl: `${folder}wasm/`,
    maxImageSize: isForText ? NO_IMAGE_PIXELS : MAX_IMAGE_PIXELS,
    fontExtraProperties: isForText,
    disableFontFace: true,
    isEvalSupported: false,
    useSystemFonts: false,
    enableXfa: false,
    stopAtErrors: false,
    verbosity: VerbosityLevel.ERRORS,
  });
  return { document: loading.promise, operations: OPS, close: () => loading.destroy() };
}
