import { type Scope, systemScope } from '#platform/kernel';
import { EmbedderOff, ModelUnavailableError } from '#ports/models';
import { GroupEmbedder } from './group-embedder.ts';
import { DEFAULT_GROUP } from './groups.ts';
import { LanguageQuestions } from './language-questions.ts';

const SCOPE = systemScope('org');
const ENGLISH = 'english';
const GERMAN = 'Wo ist die Katze?';

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
}

const reported: Scope[] = [];

async function spacesOf(
  own: readonly string[],
  { question = 'Where is the cat?', usesLanguages = true, isPast = false, second = [] }: Setting = {},
): Promise<readonly string[]> {
  const forLanguages = () => [
    { name: 'a', embedder: serving },
    { name: 'b', embedder: coming },
  ];
  const views = {
    heldSpaces: async (_: unknown, spaces: readonly string[]) =>
      spaces
        .filter((space) => own.includes(space) || second.includes(space))
        .map((space) => ({ space, isOwn: own.includes(space) })),
  };
  const english = new GroupEmbedder(DEFAULT_GROUP, () => new Model(), ENGLISH);
  const asked = { report: (scope: Scope) => void reported.push(scope) };
  const questions = new LanguageQuestions({ forLanguages, usesLanguages, of: () => english }, views, asked);
  const { vectors, come } = await questions.vectorsOf([question, 'core'], SCOPE, isPast);
  const [ofQuestion = [], ofCore = []] = vectors;
  expect(ofCore.map(({ space }) => space)).toEqual(ofQuestion.map(({ space }) => space));
  expect(come).toBe(question === GERMAN ? 'first' : 'last');
  return ofQuestion.map(({ space }) => space);
}

test('a question is embedded in each space that its scope holds, and by no other model', async () => {
  expect(await spacesOf(['a', 'b'])).toEqual(['a', 'b']);
  expect(await spacesOf(['b'])).toEqual(['b']);
  expect(await spacesOf([])).toEqual([]);
  expect([serving.asked, coming.asked]).toEqual([2, 4]);
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

test('a question in another language on English documents is reported, also before the model is used', async () => {
  await spacesOf([ENGLISH, 'a']);
  await spacesOf(['a'], { question: GERMAN });
  expect(reported).toEqual([]);
  expect(await spacesOf([ENGLISH], { question: GERMAN, usesLanguages: false })).toEqual([]);
  expect(reported).toEqual([SCOPE]);
});
