/** The Cranfield collection: abstracts on aerodynamics, questions, and which abstracts answer them. */
export interface CranfieldQuestion {
  readonly text: string;
  /** Numbers of the abstracts that answer it. */
  readonly relevant: ReadonlySet<string>;
}

export interface Cranfield {
  readonly abstracts: readonly { readonly number: string; readonly text: string }[];
  readonly questions: readonly CranfieldQuestion[];
}

/** The files of the collection. */
export interface CranfieldFiles {
  /** `cran.all.1400` */
  readonly abstracts: string;
  /** `cran.qry` */
  readonly questions: string;
  /** `cranqrel` */
  readonly judgements: string;
}

/** Judgements from 1, a complete answer, to 4, of minimum interest; others are mistakes in the file. */
const RELEVANT = new Set(['1', '2', '3', '4']);

export function readCranfield(files: CranfieldFiles): Cranfield {
  const relevant = new Map<string, Set<string>>();
  for (const line of files.judgements.split('\n')) {
    const [question = '', abstract = '', judgement = ''] = line.trim().split(/\s+/);
    if (RELEVANT.has(judgement)) relevant.set(question, (relevant.get(question) ?? new Set()).add(abstract));
  }
  return {
    abstracts: recordsOf(files.abstracts).flatMap(({ number, text }) => (text === '' ? [] : [{ number, text }])),
    // Judgements name a question by its place in the file.
    questions: recordsOf(files.questions).flatMap(({ text }, place) => {
      const own = relevant.get(String(place + 1));
      return own === undefined ? [] : [{ text, relevant: own }];
    }),
  };
}

/** A record begins with `.I` and its number; its text follows the line `.W`. */
function recordsOf(file: string): { readonly number: string; readonly text: string }[] {
  return file
    .split(/^\.I /m)
    .slice(1)
    .map((record) => ({
      number: (record.split('\n', 1)[0] as string).trim(),
      text: (record.split(/^\.W\s*$/m)[1] ?? '').trim(),
    }));
}

/**
 * Normalized discounted cumulative gain of the first ten results, each relevant or not.
 * @param results numbers of abstracts, best first
 */
export function ndcgAt10(results: readonly string[], relevant: ReadonlySet<string>): number {
  const gain = (place: number) => 1 / Math.log2(place + 2);
  let found = 0;
  let ideal = 0;
  for (let place = 0; place < 10; place += 1) {
    if (relevant.has(results[place] ?? '')) found += gain(place);
    if (place < relevant.size) ideal += gain(place);
  }
  return found / ideal;
}
