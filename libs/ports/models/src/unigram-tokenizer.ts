import { withoutInvisible } from '#platform/kernel';

/** Added to the lowest score of a piece: an unknown character is worse than every known piece. */
const UNKNOWN_PENALTY = -10;
/** Stands in front of each word. */
const WORD_START = '\u2581';
/** Written in a text, these are no pieces. */
const CONTROL_PIECES = new Set(['<s>', '<pad>', '</s>', '<unk>', '<mask>']);
/** An entry of the vocabulary: a JSON string and its score. */
const ENTRY = /\s*,?\s*\[\s*("(?:[^"\\]|\\.)*")\s*,\s*(-?[\d.eE+-]+)\s*\]/y;

/** Control characters, which say nothing, and separators, which are white space. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: what the models were trained without
const REMOVED = /[\u0001-\u0008\u000b\u000e-\u001f\u007f\u008f\u009f]/g;
const SPACES = /[\s\u1680\u200c-\u200f\u2028\u2029\u2581\ufffd]+/g;

/**
 * Divides words into the pieces of a vocabulary (SentencePiece, Unigram): those whose scores have the highest sum. Written by
 * hand, because the tree that `@huggingface/tokenizers` builds of 250,000 pieces takes 260 MB and some seconds.
 */
export class UnigramTokenizer {
  /** Ids by piece, in the order of the vocabulary. */
  readonly #ids = new Map<string, number>();
  readonly #scores: Float64Array;
  readonly #unknown: number;
  readonly #unknownScore: number;
  readonly #longest: number;
  readonly begin: number;
  readonly separator: number;

  /** @param json `tokenizer.json` of the Hugging Face libraries. @throws Error if it is of another kind */
  constructor(json: string) {
    const at = json.indexOf('"vocab"', json.indexOf('"Unigram"'));
    const first = json.indexOf('[', at);
    const unknown = /"unk_id"\s*:\s*(\d+)/.exec(json)?.[1];
    if (at < 0 || first < 0 || unknown === undefined) throw new Error('tokenizer.json has no Unigram vocabulary');
    const scores: number[] = [];
    let longest = 1;
    const control = new Map<string, number>();
    ENTRY.lastIndex = first + 1;
    for (let entry = ENTRY.exec(json); entry !== null; entry = ENTRY.exec(json)) {
      const piece = JSON.parse(entry[1] as string) as string;
      if (CONTROL_PIECES.has(piece)) control.set(piece, scores.length);
      else this.#ids.set(piece, scores.length);
      longest = Math.max(longest, piece.length);
      scores.push(Number(entry[2]));
    }
    const [begin, separator] = [control.get('<s>'), control.get('</s>')];
    if (begin === undefined || separator === undefined) throw new Error('tokenizer.json has no <s> and </s>');
    this.begin = begin;
    this.separator = separator;
    this.#scores = Float64Array.from(scores);
    this.#unknown = Number(unknown);
    this.#unknownScore = scores.reduce((least, score) => Math.min(least, score), 0) + UNKNOWN_PENALTY;
    this.#longest = longest;
  }

  /** Returns the ids of a text's pieces. */
  encode(text: string): readonly number[] {
    const words = withoutInvisible(text).normalize('NFKC').replace(REMOVED, '').replace(SPACES, ' ').trim();
    if (words === '') return [];
    return words.split(' ').flatMap((word) => this.#piecesOf(WORD_START + word));
  }

  #piecesOf(word: string): number[] {
    const { length } = word;
    /** Of the best division of the first characters: its score, and the place and id of its last piece. */
    const scores = new Float64Array(length + 1).fill(Number.NEGATIVE_INFINITY);
    const starts = new Int32Array(length + 1);
    const ids = new Int32Array(length + 1);
    scores[0] = 0;
    const reach = (start: number, end: number, id: number, score: number) => {
      const sum = (scores[start] as number) + score;
      if (sum <= (scores[end] as number)) return;
      scores[end] = sum;
      starts[end] = start;
      ids[end] = id;
    };
    for (let start = 0; start < length; ) {
      const next = start + ((word.codePointAt(start) as number) > 0xffff ? 2 : 1);
      let isKnown = false;
      const last = Math.min(length, start + this.#longest);
      for (let end = next; end <= last; end++) {
        const id = this.#ids.get(word.slice(start, end));
        if (id === undefined) continue;
        reach(start, end, id, this.#scores[id] as number);
        isKnown ||= end === next;
      }
      if (!isKnown) reach(start, next, this.#unknown, this.#unknownScore);
      start = next;
    }
    const found: number[] = [];
    for (let end = length; end > 0; end = starts[end] as number) {
      const id = ids[end] as number;
      // Unknown characters in a row are one piece.
      if (id !== this.#unknown || found.at(-1) !== this.#unknown) found.push(id);
    }
    return found.reverse();
  }
}
