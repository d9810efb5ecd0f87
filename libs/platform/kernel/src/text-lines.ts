/**
 * Yields the lines of UTF-8 text. A line ends with LF only: JSON may hold U+2028 and U+2029, at which `node:readline` splits.
 * The last line needs no LF.
 */
export async function* textLines(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let begun = '';
  for await (const piece of bytes) {
    const [first = '', ...others] = decoder.decode(piece, { stream: true }).split('\n');
    begun += first;
    for (const other of others) {
      yield begun;
      begun = other;
    }
  }
  begun += decoder.decode();
  if (begun !== '') yield begun;
}
