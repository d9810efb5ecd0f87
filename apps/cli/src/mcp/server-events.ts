/** Yields the data of server-sent events, in which lines are joined. */
export async function* eventsOf(bytes: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  let text = '';
  for await (const piece of bytes.pipeThrough(new TextDecoderStream())) {
    text += piece.replaceAll('\r', '');
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      const data = dataIn(text.slice(0, end));
      text = text.slice(end + 2);
      if (data !== '') yield data;
    }
  }
}

const dataIn = (event: string): string =>
  event
    .split('\n')
    .filter((line) => line.startsWith('data:'))
    .map((line) => line.slice('data:'.length).trimStart())
    .join('\n');
