/** Loads the decoder, for pictures of pixels alone: it reads neither drawings nor documents. */
export async function loadSharp() {
  const { default: sharp } = await import('sharp');
  sharp.cache(false);
  // OCR takes one core while requests are served.
  sharp.concurrency(1);
  sharp.block({ operation: ['VipsForeignLoad'] });
  sharp.unblock({
    operation: ['Jpeg', 'Png', 'Nsgif', 'Webp', 'Tiff', 'Heif'].map((name) => `VipsForeignLoad${name}`),
  });
  return sharp;
}
