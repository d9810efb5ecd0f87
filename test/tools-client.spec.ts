import fc from 'fast-check';
import { type LoopbackProvider, openProvider } from '../apps/server/src/http/testing/loopback-provider.ts';
import { sayTo } from './clients/answers-of-models.ts';
import { type Command, FileSystem } from './clients/file-system.ts';

import { type ChatMessage, loadTools, type Tools } from './clients/tools.ts';
import { installTools } from './support/installed-clients.ts';
import { eventually, Mneme, OWNER_KEY } from './support/mneme.ts';

/** The published `@supermemory/tools` against this server. */

const installed = await installTools();

if ('missing' in installed) {
  test.skip(`SKIPPED: ${installed.missing}`, () => {});
} else {
  let tools: Tools;
  let mneme: Mneme;

  beforeAll(async () => {
    [tools, mneme] = await Promise.all([loadTools(installed.folder), Mneme.start()]);
  });
  afterAll(() => mneme.stop());

  describe('the file-memory tool', () => {
    const view = (path: string, ...range: number[]): Command => ({
      ...{ command: 'view', path },
      ...(range.length > 0 && { view_range: range as [number, number] }),
    });
    const create = (path: string, file_text: string): Command => ({ command: 'create', path, file_text });
    const replace = (path: string, old_str: string, new_str: string): Command => ({
      ...{ command: 'str_replace', path, old_str, new_str },
    });
    const insert = (path: string, insert_line: number, insert_text: string): Command => ({
      ...{ command: 'insert', path, insert_line, insert_text },
    });
    const rename = (path: string, new_path: string): Command => ({ command: 'rename', path, new_path });
    const remove = (path: string): Command => ({ command: 'delete', path });

    /** Gives each command to the tool and to a file system in memory, and expects the same answers and the same files. */
    async function compare(config: { containerTags?: string[]; projectId?: string }, commands: readonly Command[]) {
      const tool = tools.createClaudeMemoryTool(OWNER_KEY, { baseUrl: mneme.url, ...config });
      const files = new FileSystem();
      const check = async (command: Command) => {
        const expected = files.handle(command);
        const answer = await tool.handleCommand(command);
        const error = expected.success ? {} : { error: expect.any(String) };
        expect({ command, answer }).toEqual({ command, answer: { ...expected, ...error } });
      };
      for (const command of commands) await check(command);
      for (const path of ['/memories', ...files.paths]) await check(view(path));
    }

    test.each<[string, readonly Command[]]>([
      [
        'a file that is written, read, edited, moved and deleted',
        [
          view('/memories'),
          create('/memories/notes.txt', 'milk\neggs\nflour'),
          view('/memories/notes.txt'),
          view('/memories/notes.txt', 2, 3),
          view('/memories/notes.txt', 2, -1),
          replace('/memories/notes.txt', 'eggs', 'six eggs\nbutter'),
          insert('/memories/notes.txt', 1, 'To buy:'),
          insert('/memories/notes.txt', 6, 'salt'),
          view('/memories/notes.txt'),
          rename('/memories/notes.txt', '/memories/lists/shopping.md'),
          view('/memories/notes.txt'),
          view('/memories/lists/shopping.md'),
          view('/memories/'),
          view('/memories/lists/'),
          remove('/memories/lists/shopping.md'),
          view('/memories'),
          remove('/memories/lists/shopping.md'),
        ],
      ],
      [
        'a file that is written again, with another text, a shorter, a longer and the same one',
        [
          create('/memories/again.txt', 'one\ntwo\nthree'),
          create('/memories/again.txt', 'four'),
          view('/memories/again.txt'),
          create('/memories/again.txt', 'four\nfive'),
          view('/memories/again.txt'),
          create('/memories/again.txt', 'four\nfive'),
          create('/memories/again.txt', 'five'),
          view('/memories/again.txt'),
        ],
      ],
      [
        'a file that is moved over another one, onto itself, and to a name with the same customId',
        [
          create('/memories/from.txt', 'the text to keep'),
          create('/memories/to.txt', 'the text to lose'),
          rename('/memories/from.txt', '/memories/to.txt'),
          view('/memories/to.txt'),
          view('/memories/from.txt'),
          rename('/memories/to.txt', '/memories/to.txt'),
          rename('/memories/to.txt', '/memories/to/txt'),
          view('/memories/to/txt'),
          view('/memories/to.txt'),
          view('/memories'),
        ],
      ],
      [
        'texts with line ends, tabs, other scripts, an address, and many lines',
        [
          create('/memories/odd.txt', '  first\r\nsecond\t\n\n\nthird \u{1f41d} 蜂 نحلة\n'),
          view('/memories/odd.txt'),
          replace('/memories/odd.txt', '\u{1f41d}', '$& $1 bee'),
          insert('/memories/odd.txt', 3, ''),
          view('/memories/odd.txt'),
          create('/memories/address.txt', 'https://127.0.0.1/a.html'),
          view('/memories/address.txt'),
          replace('/memories/address.txt', 'a.html', 'b.html'),
          insert('/memories/address.txt', 2, 'Read it tomorrow.'),
          view('/memories/address.txt'),
          create('/memories/long.txt', Array.from({ length: 5000 }, (_, i) => `line ${i} of a long file`).join('\n')),
          insert('/memories/long.txt', 2500, 'a line in the middle'),
          view('/memories/long.txt', 2498, 2502),
        ],
      ],
      [
        'names with spaces, wildcards, quotes and other scripts',
        [
          create('/memories/100% sure_.txt', 'percent'),
          create('/memories/o\'clock "now".txt', 'quotes'),
          create('/memories/Ünï/蜂.txt', 'scripts'),
          create('/memories/ünï/蜂.txt', 'scripts in small letters'),
          view('/memories'),
          view('/memories/Ünï/'),
          view('/memories/100% sure_.txt'),
          view('/memories/Ünï/蜂.txt'),
          remove('/memories/100% sure_.txt'),
          remove('/memories/o\'clock "now".txt'),
          view('/memories'),
        ],
      ],
      [
        'commands that are refused change nothing',
        [
          create('/memories/kept.txt', 'kept'),
          create('/elsewhere/kept.txt', 'x'),
          create('/memories/../kept.txt', 'x'),
          create('/memories/blank.txt', ' \n'),
          replace('/memories/kept.txt', 'absent', 'x'),
          replace('/memories/kept.txt', 'kept', ''),
          insert('/memories/kept.txt', 0, 'x'),
          insert('/memories/kept.txt', 3, 'x'),
          replace('/memories/none.txt', 'a', 'b'),
          rename('/memories/none.txt', '/memories/other.txt'),
          rename('/memories/kept.txt', '/elsewhere/kept.txt'),
          view('/memories/blank.txt'),
          view('/memories'),
        ],
      ],
    ])('%s', async (name, commands) => {
      const config = name.startsWith('a file') ? { projectId: name } : { containerTags: ['files of a user', name] };
      // Files with one path are one document in an organization, so each sequence has a folder.
      const created = commands.map((command) => below(`/memories/${name}`, command));
      await compare(config, created);
    });

    const names = ['notes.txt', 'notes.md', 'todo', 'work/plan.md', 'work/deep/log.txt', 'two words.txt'];
    const file = fc.constantFrom(...names);
    const line = fc.constantFrom('alpha', 'beta beta', 'gamma\r', '', ' delta', 'ε');
    const text = fc.array(line, { minLength: 1, maxLength: 8 }).map((lines) => lines.join('\n'));
    const piece = fc.constantFrom('alpha', 'beta', '\n', 'a\nbeta', 'ε', 'absent');
    const row = fc.integer({ min: 0, max: 9 });
    const commands = fc.oneof(
      { weight: 3, arbitrary: fc.tuple(file, text).map(([path, file_text]) => create(path, file_text)) },
      { weight: 3, arbitrary: fc.tuple(file, piece, fc.oneof(piece, fc.constant(''))).map((all) => replace(...all)) },
      { weight: 3, arbitrary: fc.tuple(file, row, text).map((all) => insert(...all)) },
      { weight: 2, arbitrary: fc.tuple(file, file).map((all) => rename(...all)) },
      { weight: 1, arbitrary: file.map(remove) },
      { weight: 1, arbitrary: fc.constantFrom('', 'work/', 'work/deep/', ...names).map((path) => view(path)) },
    );

    test('random sequences leave the same files as a file system in memory', async () => {
      let run = 0;
      const sequences = fc.array(commands, { minLength: 15, maxLength: 40, size: 'max' });
      const property = fc.asyncProperty(sequences, async (sequence) => {
        const folder = `/memories/run ${run++}`;
        const created = sequence.map((command) => below(folder, command));
        await compare({ containerTags: ['random files', folder] }, [...created, view(`${folder}/`)]);
      });
      await fc.assert(property, { numRuns: 6, endOnFailure: true });
    });

    /** Puts the paths of a command below a folder of this test. */
    function below(folder: string, command: Command): Command {
      const moved = (path: string) =>
        path.startsWith('/elsewhere') ? path : `${folder}${path.replace(/^\/memories/, '').replace(/^(?!\/)/, '/')}`;
      const path = command.path === '/memories' ? `${folder}/` : moved(command.path);
      return command.command === 'rename'
        ? { ...command, path, new_path: moved(command.new_path) }
        : ({ ...command, path } as Command);
    }
  });

  describe('withSupermemory', () => {
    let model: LoopbackProvider;
    /** Each call gets the next one. */
    let replies: string[] = [];
    beforeAll(async () => {
      model = await openProvider((_, response, call) => {
        sayTo(call, response, replies.shift() ?? 'I have nothing more to say.');
      });
    });
    afterAll(() => model.close());

    const saving = (containerTag: string, customId: string) => ({
      ...{ containerTag, customId, apiKey: OWNER_KEY, baseUrl: mneme.url },
      ...{ mode: 'full' as const, skipMemoryOnError: false },
    });
    const loopback = () => ({ baseURL: `${model.url}/v1`, apiKey: 'none' });
    const languageModel = () => tools.createOpenAI(loopback()).chat('loopback');

    /** Waits until the conversation is saved with this transcript and processed, and returns its memories. */
    async function saved(customId: string, transcript: string): Promise<readonly string[]> {
      const path = `/v3/documents/${encodeURIComponent(customId)}`;
      await eventually(async () => ((await mneme.get(path)).body.content === transcript ? true : null), 15_000);
      const { memories, content } = await mneme.settled(customId);
      expect(content).toBe(transcript);
      return (memories as { memory: string }[]).map(({ memory }) => memory);
    }

    test('AI SDK: each turn is saved once, in order, and a later conversation gets it', async () => {
      const wrapped = tools.withAiSdk(languageModel(), saving('ai-sdk', 'ai sdk/chat'));
      const messages: ChatMessage[] = [];
      const say = async (content: string, ask: (all: ChatMessage[]) => Promise<string>) => {
        messages.push({ role: 'user', content });
        messages.push({ role: 'assistant', content: await ask(messages) });
      };
      const generate = async (all: ChatMessage[]) =>
        (await tools.generateText({ model: wrapped, messages: [...all] })).text;
      const stream = async (all: ChatMessage[]) => tools.streamText({ model: wrapped, messages: [...all] }).text;
      replies = ['How lovely, since when?', 'Five years already.', 'Good night, and greet the bees.'];

      await say('My sister Ottilie keeps bees in Tromsø.', generate);
      const first = 'user: My sister Ottilie keeps bees in Tromsø.\nassistant: How lovely, since when?';
      expect(await saved('ai sdk/chat', first)).toEqual(first.split('\n'));
      await say('Since 2019.', generate);
      const second = `${first}\nuser: Since 2019.\nassistant: Five years already.`;
      await saved('ai sdk/chat', second);
      await say('Good night.', stream);
      const third = `${second}\nuser: Good night.\nassistant: Good night, and greet the bees.`;
      expect([...(await saved('ai sdk/chat', third))].sort()).toEqual(third.split('\n').sort());

      const later = tools.withAiSdk(languageModel(), saving('ai-sdk', 'ai sdk/later'));
      await tools.generateText({ model: later, messages: [{ role: 'user', content: 'Who keeps bees?' }] });
      const [system] = JSON.parse(String(model.seen.at(-1)?.body)).messages;
      expect(system).toEqual({ role: 'system', content: expect.stringContaining('Ottilie keeps bees') });
      await saved('ai sdk/later', 'user: Who keeps bees?\nassistant: I have nothing more to say.');
    });

    test('OpenAI: each call saves the messages that are new', async () => {
      const client = tools.withOpenAi(new tools.OpenAi(loopback()), saving('openai', 'openai-chat'));
      const messages: ChatMessage[] = [];
      const say = async (content: string) => {
        messages.push({ role: 'user', content });
        const answer = await client.chat.completions.create({ model: 'loopback', messages: [...messages] });
        messages.push({ role: 'assistant', content: answer.choices[0]?.message.content as string });
      };
      replies = ['Noted: no walnuts.', 'Almonds are fine.'];
      await say('I am allergic to walnuts.');
      await saved('openai-chat', 'user: I am allergic to walnuts.');
      await say('And almonds?');
      await saved('openai-chat', 'user: I am allergic to walnuts.\nassistant: Noted: no walnuts.\nuser: And almonds?');
    });
  });

  test('the tools for models: add, list, search, profile, delete', async () => {
    const set = tools.supermemoryTools(OWNER_KEY, { baseUrl: mneme.url, containerTags: ['tool set', 'second tag'] });
    const added = (await set.documentAdd.execute({ content: 'The sextant is in the wardrobe.', title: 'Sextant' })) as {
      document: { id: string };
    };
    const { id } = added.document;
    // The tool deletes documents only after they are processed.
    await mneme.settled(id);
    expect(await set.documentList.execute({ limit: 10 })).toMatchObject({
      success: true,
      documents: [{ id, metadata: { title: 'Sextant' } }],
      pagination: { totalItems: 1 },
    });
    const search = { informationToGet: 'sextant wardrobe', includeFullDocs: false, limit: 5 };
    expect(await set.searchMemories.execute(search)).toMatchObject({
      success: true,
      results: [{ memory: 'The sextant is in the wardrobe.' }],
    });
    expect(await set.getProfile.execute({ query: 'sextant' })).toMatchObject({
      success: true,
      profile: { dynamic: ['The sextant is in the wardrobe.'] },
      searchResults: { results: [{ memory: 'The sextant is in the wardrobe.' }] },
    });
    const sent = {
      containerTag: 'tool set',
      memories: [{ content: 'The compass is in the cellar.' }, { content: 'The map is torn.' }],
    };
    const { body } = await mneme.post<{ memories: { id: string }[] }>('/v4/memories', sent);
    const forget = (input: object) => set.memoryForget.execute({ containerTag: 'tool set', ...input });
    expect(await forget({ memoryId: body.memories[0]?.id, reason: 'It is lost.' })).toMatchObject({ success: true });
    expect(await forget({ memoryContent: 'The map is torn.' })).toMatchObject({ success: true });
    expect(await forget({ memoryContent: 'The map is torn.' })).toMatchObject({ success: false });
    expect(await forget({ memoryContent: 'unknown' })).toMatchObject({ success: false });
    expect(await set.searchMemories.execute({ ...search, informationToGet: 'compass map' })).not.toMatchObject({
      results: expect.arrayContaining([expect.objectContaining({ memory: 'The compass is in the cellar.' })]),
    });
    expect(await set.documentDelete.execute({ documentId: id })).toMatchObject({ success: true });
    expect(await set.documentList.execute({ limit: 10 })).toMatchObject({ documents: [] });
  });
}
