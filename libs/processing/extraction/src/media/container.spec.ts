import { containerOf } from './container.ts';

const latin = (text: string) => Buffer.from(text, 'latin1');
/** A frame of layer 3 with 128 kbit/s and 44,100 Hz, which is 417 bytes long. */
const frame = Buffer.concat([Buffer.from('fffb9000', 'hex'), Buffer.alloc(413)]);

describe('containerOf', () => {
  it.each([
    ['MP4', latin('\0\0\0\x20ftypisom\0\0\x02\0'), 'mov', 'video'],
    ['MP4 of a phone', latin('\0\0\0\x18ftyp3gp4'), 'mov', 'video'],
    ['M4A', latin('\0\0\0\x20ftypM4A '), 'mov', 'audio'],
    ['QuickTime without a brand', latin('\0\0\0\x08wide\0\0\x10\0mdat'), 'mov', 'video'],
    ['WebM', latin('\x1a\x45\xdf\xa3\x9fB\x86\x81\x01'), 'matroska', 'video'],
    ['WAV', latin('RIFF\x24\x10\0\0WAVEfmt '), 'wav', 'audio'],
    ['OGG', latin('OggS\0\x02'), 'ogg', 'audio'],
    ['FLAC', latin('fLaC\0\0\0"'), 'flac', 'audio'],
    ['MP3 with tags', latin('ID3\x04\0\0'), 'mp3', 'audio'],
    ['MP3', Buffer.concat([frame, frame]), 'mp3', 'audio'],
  ])('finds %s', (_, bytes, format, type) => {
    expect(containerOf(bytes)).toMatchObject({ format, type });
  });

  it.each([
    ['a picture in the container of MP4', latin('\0\0\0\x20ftypheic')],
    ['an AVIF picture', latin('\0\0\0\x20ftypavif')],
    ['a WebP picture', latin('RIFF\x24\x10\0\0WEBPVP8 ')],
    ['one frame alone', Buffer.concat([frame, Buffer.alloc(500)])],
    ['UTF-16 text', Buffer.from('\ufeffThe goat', 'utf16le')],
    ['a text that speaks of a container', latin('free tickets for all')],
    ['a playlist', latin('#EXTM3U\nfile:/etc/passwd\n')],
    ['a list of files', latin("ffconcat version 1.0\nfile '/etc/passwd'\n")],
    ['nothing', latin('')],
  ])('takes %s for no recording', (_, bytes) => {
    expect(containerOf(bytes)).toBeNull();
  });
});
