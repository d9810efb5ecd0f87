import { type Scope, systemScope } from '#platform/kernel';
import { EmbedderOff, ModelUnavailableError } from '#ports/models';
import { GroupEmbedder } from './group-embedder.ts';
import { DEFAULT_GROUP } from './groups.ts';
import { Questions } from './questions.ts';

const SCOPE = systemScope('org');
const ENGLISH = 'english';
const GERMAN = 'Wo ist die Katze?';
const CORE = 'core';

class Model extends EmbedderOff {
  asked = 0;
  fault: Error | null = null;

  override async embedQuestion(): Promise<Float32Array> {
    this.asked += 1;
    if (this.fault !== null) throw this.fault;
    return Float32Array.of(1);
  }
}

let serving: Model;
let coming: Model;
beforeEach(() => {
  [serving, coming] = [new Model(), new Model()];
  reported.length = 0;
});

interface Setting {
  readonly question?: string;
  readonly usesLanguages?: boolean;
  readonly isPast?: boolean;
  /** Spaces in which documents have vectors beside their own. */
  readonly second?: readonly string[];
  /** Space of the English model. Default: it is not ready. */
  readonly english?: string;
}

const reported: Scope[] = [];

async function spacesOf(
  own: readonly string[],
  { question = 'Where is the cat?', usesLanguages = true, isPast = false, second = [], english }: Setting = {},
): Promise<readonly string[]> {
  const forLanguages = () => [
    { name: 'a', embedder: serving },
    { name: 'b', embedder: coming },
  ];
  const views = {
    vectorSpace: async () => ENGLISH,
    heldSpaces: async (_: unknown, spaces: readonly string[]) =>
      spaces
        .filter((space) => own.includes(space) || second.includes(space))
        .map((space) => ({ space, isOwn: own.includes(space) })),
  };
  const name = english ?? ENGLISH;
  const model = new Model(english === undefined ? undefined : { state: 'ready', space: { name, dimensions: 1 } });
  const group = new GroupEmbedder(DEFAULT_GROUP, () => model, name);
  const asked = { report: (scope: Scope) => void reported.push(scope) };
  const questions = new Questions({ forLanguages, usesLanguages, of: () => group }, views, asked);
  const { vectors } = await questions.embed([question, 'form'], { core: CORE, scope: SCOPE, isPast, space: null });
  const [ofQuestion = [], ofForm = []] = vectors;
  expect(ofForm.map(({ space }) => space)).toEqual(ofQuestion.map(({ space }) => space));
  expect(ofQuestion.every(({ core }) => core !== undefined)).toBe(true);
  return ofQuestion.map(({ space }) => space);
}

test('a question is embedded in each space that its scope holds, and by no other model', async () => {
  expect(await spacesOf(['a', 'b'])).toEqual(['a', 'b']);
  expect(await spacesOf(['b'])).toEqual(['b']);
  expect(await spacesOf([])).toEqual([]);
  // The question, its other form and its core.
  expect([serving.asked, coming.asked]).toEqual([3, 6]);
});

test('no model is asked before a document in another language was embedded', async () => {
  expect(await spacesOf(['a'], { usesLanguages: false })).toEqual([]);
  expect(serving.asked).toBe(0);
});

test('a question about a past time is embedded in all spaces in use: what has left the scope may have vectors there', async () => {
  expect(await spacesOf([], { isPast: true })).toEqual(['a', 'b']);
  expect(await spacesOf([], { isPast: true, usesLanguages: false, question: GERMAN })).toEqual([]);
});

test('a model that cannot be had leaves the vectors of the others', async () => {
  serving.fault = new ModelUnavailableError('no source has it');
  expect(await spacesOf(['a', 'b'])).toEqual(['b']);
});

test('second vectors are compared with questions in another language alone', async () => {
  expect(await spacesOf([ENGLISH], { second: ['a'] })).toEqual([]);
  expect(await spacesOf([ENGLISH], { second: ['a'], question: GERMAN })).toEqual(['a']);
});

test('documents are compared in the space of the language of the question first', async () => {
  expect(await spacesOf(['a'], { english: ENGLISH })).toEqual([ENGLISH, 'a']);
  expect(await spacesOf(['a'], { english: ENGLISH, question: GERMAN })).toEqual(['a', ENGLISH]);
});

test('a space that serves and is one of other languages is embedded in once', async () => {
  expect(await spacesOf(['a', 'b'], { english: 'a' })).toEqual(['a', 'b']);
  expect(serving.asked).toBe(0);
});

test('a question in another language on English documents is reported, also before the model is used', async () => {
  await spacesOf([ENGLISH, 'a']);
  await spacesOf(['a'], { question: GERMAN });
  expect(reported).toEqual([]);
  expect(await spacesOf([ENGLISH], { question: GERMAN, usesLanguages: false })).toEqual([]);
  expect(reported).toEqual([SCOPE]);
});
