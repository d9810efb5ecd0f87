import fc from 'fast-check';
import {
  CALL_IDS,
  countCharacters,
  jsonOf,
  ODD_FIELDS,
  rewriteText,
  rounds,
  sourceFor,
  sourcesIn,
  spelling,
  turnsOf,
  WIRES,
} from './conversations.fixture.ts';
import { type ChatCall, memoryBlock, type Turn } from './index.ts';

const block = memoryBlock('Lives in Oslo. "Quoted" \\ 漢字 \u2028');
const system = fc.option(fc.string({ minLength: 1 }), { nil: undefined });

/** Returns what was inserted into `before`, undefined if `after` is not that with one insertion. */
function insertionIn(before: string, after: string): string | undefined {
  let start = 0;
  while (start < before.length && before[start] === after[start]) start += 1;
  let end = 0;
  while (end < before.length - start && before.at(-1 - end) === after.at(-1 - end)) end += 1;
  return start + end === before.length ? after.slice(start, after.length - end) : undefined;
}

describe.each(WIRES)('$format.name', (wire) => {
  const read = (source: string): ChatCall | undefined => wire.format.read(Buffer.from(source), wire.path);

  test('reads the turns of a conversation', () => {
    fc.assert(
      fc.property(rounds, system, spelling, (all, text, how) => {
        const call = read(sourceFor(wire, all, text, how));
        expect(call?.turns).toEqual(turnsOf(all));
        expect(call?.isStateful).toBe(false);
      }),
    );
  });

  test('without a change, the bytes are those that were read', async () => {
    await fc.assert(
      fc.asyncProperty(rounds, system, spelling, async (all, text, how) => {
        const source = sourceFor(wire, all, text, how);
        expect((await rewriteText(wire, source, { maxTokens: 1_000_000 })).text).toBe(source);
      }),
    );
  });

  test('the block is the one thing that is inserted', async () => {
    await fc.assert(
      fc.asyncProperty(rounds, system, spelling, async (all, text, how) => {
        const source = sourceFor(wire, all, text, how);
        const rewritten = await rewriteText(wire, source, { block, maxTokens: 1_000_000 });
        const inserted = insertionIn(source, rewritten.text);
        expect(inserted).toContain(JSON.stringify(block).slice(1, -1));
        expect(rewritten.dropped).toBe(0);
        const withoutFields = rewritten.text.replace(ODD_FIELDS, '"odd":1');
        const expected = wire.body(all, text === undefined ? block : `${text}\n\n${block}`);
        const found = JSON.parse(withoutFields);
        delete found.odd;
        delete found.model;
        if (wire.format.name === 'gemini' && text !== undefined) {
          expect(found.systemInstruction.parts).toEqual([{ text }, { text: block }]);
        } else expect(found).toEqual(expected);
      }),
    );
  });

  test('history comes first, between system text and the turns of the request', async () => {
    await fc.assert(
      fc.asyncProperty(rounds, rounds, system, spelling, async (former, all, text, how) => {
        const source = sourceFor(wire, all, text, how);
        const { text: after } = await rewriteText(wire, source, { block, history: turnsOf(former) });
        const again = read(after);
        expect(again?.turns).toEqual([...turnsOf(former), ...turnsOf(all)]);
        const own = sourcesIn(source, wire.list).filter((one) => !one.includes('"system"'));
        expect(sourcesIn(after, wire.list).slice(-own.length)).toEqual(own);
      }),
    );
  });

  test('above the budget the oldest turns leave, and what stays is as it was', async () => {
    await fc.assert(
      fc.asyncProperty(rounds, rounds, system, spelling, fc.nat(4_000), async (former, all, text, how, maxTokens) => {
        const source = sourceFor(wire, all, text, how);
        const history = turnsOf(former);
        const whole = await rewriteText(wire, source, { block, history });
        const cut = await rewriteText(wire, source, { block, history, maxTokens });
        expect(cut.tokens + cut.saved).toBe(whole.tokens);
        if (whole.tokens <= maxTokens) return expect(cut.text).toBe(whole.text);

        const isSystem = (one: string) => JSON.parse(one).role === 'system';
        const before = sourcesIn(whole.text, wire.list);
        const after = sourcesIn(cut.text, wire.list);
        expect(after.filter(isSystem)).toEqual(before.filter(isSystem));
        const stay = after.filter((one) => !isSystem(one));
        expect(before.slice(before.length - stay.length)).toEqual(stay);
        expect(JSON.parse(stay[0] as string).role).toBe('user');
        const ids = stay.flatMap((one) => one.match(CALL_IDS) ?? []);
        for (const id of ids) expect(ids.filter((other) => other === id)).toHaveLength(2);
        const rest = (one: string) => {
          const json = jsonOf(one);
          const list = json.root.children?.find(({ children }) => children?.[0]?.value === wire.list)?.children?.[1];
          if (list === undefined) throw new Error('no list');
          return [one.slice(0, list.offset), one.slice(list.offset + list.length)];
        };
        expect(rest(cut.text)).toEqual(rest(whole.text));
        if (cut.tokens > maxTokens) expect(read(cut.text)?.turns).toEqual(turnsOf(all.slice(-1)));
      }),
    );
  });

  test('a block that comes back is in no turn, and there is one block only', async () => {
    const source = sourceFor(wire, [{ question: 'Hello', steps: [], answer: 'Hi.' }], 'Be short.', {
      ...{ indent: 0, escapes: false, isModelLast: true },
    });
    const first = await rewriteText(wire, source, { block });
    const other = memoryBlock('Lives in Bergen.');
    const second = await rewriteText(wire, first.text, { block: other });
    expect(second.text).toBe((await rewriteText(wire, source, { block: other })).text);
    const echoed = [{ question: 'Hello', steps: [], answer: `Here it is:\n\n${block}` }];
    const call = read(sourceFor(wire, echoed, undefined, { indent: 0, escapes: false, isModelLast: true }));
    expect(call?.turns.at(-1)).toEqual<Turn>({ role: 'assistant', text: 'Here it is:' });
  });

  test.each([
    ['no JSON', '{"messages":'],
    ['a comment', '{"messages":[{"role":"user","content":"a"}],"contents":[],"input":"a" /* b */}'],
    ['another form', '{"messages":"a","contents":{},"input":7}'],
    ['no messages', '{"messages":[],"contents":[],"input":[]}'],
    ['messages of other types', '{"messages":[1],"contents":[[]],"input":[null]}'],
    ['JSON of great depth', `${'['.repeat(1_000_000)}${']'.repeat(1_000_000)}`],
    ['no JSON, of great depth', `"\n${'['.repeat(1_000_000)}`],
  ])('%s passes unread', (_, source) => expect(read(source)).toBeUndefined());

  test('bytes that are not UTF-8 pass unread', () => {
    const source = Buffer.from(
      sourceFor(wire, [{ question: 'é', steps: [], answer: 'b' }], undefined, {
        ...{ indent: 0, escapes: false, isModelLast: true },
      }),
    );
    expect(wire.format.read(Buffer.from(source.toString(), 'latin1'), wire.path)).toBeUndefined();
  });

  test('no JSON makes it throw', async () => {
    const names = fc.constantFrom(
      'messages',
      'contents',
      'input',
      'role',
      'content',
      'parts',
      'type',
      'text',
      'system',
    );
    const value = fc.letrec((tie) => ({
      any: fc.oneof(
        { maxDepth: 6 },
        fc.constantFrom('user', 'assistant', 'system', 'function_call', 'text', null, 1, true, ''),
        fc.array(tie('any'), { maxLength: 4 }),
        fc.dictionary(names, tie('any'), { maxKeys: 5 }),
      ),
    })).any;
    await fc.assert(
      fc.asyncProperty(value, async (body) => {
        const call = read(JSON.stringify(body));
        const rewritten = await call?.rewrite({ block, maxTokens: 5 }, countCharacters);
        if (rewritten !== undefined) JSON.parse(rewritten.body.toString());
      }),
      { numRuns: 500 },
    );
  });
});
