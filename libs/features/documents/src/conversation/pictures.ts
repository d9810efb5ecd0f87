import type { BlobStore } from '#ports/blobs';
import type { Message, PictureWords, SentPicture } from '../events.ts';
import type { Live } from '../state.ts';
import { blobFolder } from '../streams.ts';
import type { DocumentTexts } from '../texts.ts';
import { bytesInside } from './data-url.ts';
import { type Transcript, withWords } from './transcript.ts';

/** Largest picture of a conversation that is kept and read. Bytes. */
export const PICTURE_BYTES = 20 * 1024 * 1024;

/** Pictures of one call whose bytes are kept. */
export const SENT_PICTURES = 32;

/** Returns the addresses of the pictures of messages, each once, in order. */
export function picturesIn(messages: readonly Message[]): readonly string[] {
  const images = new Set<string>();
  for (const { parts } of messages) for (const part of parts) if ('image' in part) images.add(part.image);
  return [...images];
}

/** The pictures of conversations: their bytes, and what was read from them. */
export class ConversationPictures {
  readonly #blobs: BlobStore;
  readonly #texts: DocumentTexts;

  constructor(blobs: BlobStore, texts: DocumentTexts) {
    this.#blobs = blobs;
    this.#texts = texts;
  }

  /**
   * Keeps the pictures that were sent inside their addresses. Durable when it resolves.
   * @param images of the messages that sent them
   * @param urls the addresses as sent, by the addresses in the messages
   * @param known of the document
   * @returns those that are new
   */
  async store(
    { organization, id }: Pick<Live, 'organization' | 'id'>,
    images: readonly string[],
    urls: ReadonlyMap<string, string>,
    known: readonly SentPicture[],
  ): Promise<readonly SentPicture[]> {
    const stored: SentPicture[] = [];
    for (const image of images) {
      const data = bytesInside(urls.get(image) ?? '');
      if (data === null || known.some((one) => one.image === image) || stored.length === SENT_PICTURES) continue;
      const blob = `${blobFolder(organization, id)}${image.slice(image.lastIndexOf(',') + 1)}.picture`;
      const { length: bytes } = await this.#blobs.put(blob, data);
      stored.push({ image, blob, bytes });
    }
    return stored;
  }

  /** Reads the messages of a conversation that shows pictures. Null: it shows none. */
  async shownIn(document: Live): Promise<ShownPictures | null> {
    if (!document.conversation?.pictures || !('parts' in document.content)) return null;
    return new ShownPictures(this.#texts, await this.#texts.messages(document));
  }
}

/** The pictures that the messages of a version of a conversation show. */
export class ShownPictures {
  readonly #texts: DocumentTexts;
  readonly #messages: readonly Message[];

  constructor(texts: DocumentTexts, messages: readonly Message[]) {
    this.#texts = texts;
    this.#messages = messages;
  }

  /**
   * The pictures that are not read yet, or may be readable now.
   * @param document of the version of the messages
   * @param options.tried false: without those that could not be read before
   */
  async unread(document: Live, { tried = true } = {}): Promise<readonly (string | SentPicture)[]> {
    const sent = document.conversation?.pictures?.sent ?? [];
    const read = await this.#read(document);
    const unread: (string | SentPicture)[] = [];
    for (const image of picturesIn(this.#messages)) {
      const before = read.get(image);
      if (before !== undefined && (before.again === undefined || !tried)) continue;
      // Of one inside its address only the hash is there if it was too large.
      const picture = /^data:/i.test(image) ? sent.find((one) => one.image === image) : image;
      if (picture !== undefined) unread.push(picture);
    }
    return unread;
  }

  /**
   * The text of the document with the words of its pictures. Null: there are none.
   * @param document of the version of the messages
   */
  async transcript(document: Live): Promise<Transcript | null> {
    const words = new Map<string, string>();
    for (const { image, words: found } of (await this.#read(document)).values()) {
      if (found !== null) words.set(image, found);
    }
    if (words.size === 0) return null;
    const text = (await this.#texts.content(document)) ?? '';
    const made = await withWords({ text, borders: document.borders }, this.#messages, words);
    return made.text === text ? null : made;
  }

  async #read({ conversation }: Live): Promise<ReadonlyMap<string, PictureWords>> {
    const read = new Map<string, PictureWords>();
    for (const list of conversation?.pictures?.read ?? []) {
      for (const one of await this.#texts.readList(list)) read.set(one.image, one);
    }
    return read;
  }
}
