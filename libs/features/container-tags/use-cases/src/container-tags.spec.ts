import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  ContainerTagRepository,
  TagLocks,
  TagMergeRepository,
  type TagValues,
  withTagLocks,
} from '#features/container-tags';
import { type BulkDeletions, type DocumentEvent, DocumentRepository } from '#features/documents';
import {
  type AccessScope,
  err,
  newId,
  type OrganizationId,
  ok,
  type Principal,
  systemClock,
  systemScope,
  type TagSelection,
  writeScope,
} from '#platform/kernel';
import {
  createCommandHandler,
  createFoldCache,
  type Position,
  SqliteEventStore,
  systemCause,
} from '#ports/event-store';
import { CurrentViews, SqliteViewsReader, SqliteViewsWriter } from '#read-side/views';
import { Projector } from '../../../../read-side/projections/src/projector.ts';
import { TAG_VALUES } from '../../../../read-side/projections/src/read-models/tag-values.ts';
import { row, unitSet } from '../../../../read-side/views/src/testing.ts';
import { AddEntityContext } from './add-entity-context/add-entity-context.command.ts';
import { AddEntityContextHandler } from './add-entity-context/add-entity-context.handler.ts';
import { ChangeContainerTag } from './change-container-tag/change-container-tag.command.ts';
import { ChangeContainerTagHandler } from './change-container-tag/change-container-tag.handler.ts';
import { CreateProject } from './create-project/create-project.command.ts';
import { CreateProjectHandler } from './create-project/create-project.handler.ts';
import { DeleteContainerTag } from './delete-container-tag/delete-container-tag.command.ts';
import { DeleteContainerTagHandler } from './delete-container-tag/delete-container-tag.handler.ts';
import { TagDeletion } from './delete-container-tag/tag-deletion.ts';
import { DeleteProject } from './delete-project/delete-project.command.ts';
import { DeleteProjectHandler } from './delete-project/delete-project.handler.ts';
import { GetContainerTagHandler } from './get-container-tag/get-container-tag.handler.ts';
import { GetContainerTag } from './get-container-tag/get-container-tag.query.ts';
import { GetTagMergeHandler } from './get-tag-merge/get-tag-merge.handler.ts';
import { GetTagMerge } from './get-tag-merge/get-tag-merge.query.ts';
import { ListContainerTagsHandler } from './list-container-tags/list-container-tags.handler.ts';
import { ListContainerTags } from './list-container-tags/list-container-tags.query.ts';
import { MergeContainerTags } from './merge-container-tags/merge-container-tags.command.ts';
import { MergeContainerTagsHandler } from './merge-container-tags/merge-container-tags.handler.ts';

const ORGANIZATION = 'organization-a' as OrganizationId;
const OTHER = 'organization-b' as OrganizationId;
const MOMENT = Date.UTC(2026, 0, 2);

let folder: string;
let store: SqliteEventStore;
let writer: SqliteViewsWriter;
let reader: SqliteViewsReader;
let tags: ContainerTagRepository;
let documents: DocumentRepository;
let merges: TagMergeRepository;
let views: CurrentViews;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mneme-container-tags-'));
  store = await SqliteEventStore.open({ path: join(folder, 'events.db') });
  const path = join(folder, 'views.db');
  writer = SqliteViewsWriter.open({ path, tables: TAG_VALUES.table === null ? [] : [TAG_VALUES.table] });
  reader = SqliteViewsReader.open({ path, cacheBytes: 0 });
  const cache = createFoldCache({ characters: 100_000 });
  const locks = new TagLocks(new Set(['DocumentAdded', 'ContainerTagChanged']));
  const handler = createCommandHandler({ store: withTagLocks(store, locks), clock: systemClock, cache });
  tags = new ContainerTagRepository(handler);
  merges = new TagMergeRepository(handler, locks);
  documents = new DocumentRepository(handler);
  const projector = new Projector({ store, texts: {} as never, vectors: {} as never, space: '', models: [TAG_VALUES] });
  const progress = {
    reached: async () => {
      const { events, position } = await store.readAll({ after: null, limit: 1_000 });
      const { changes } = await projector.changesOf(events);
      if (position !== null) await writer.apply(changes, position);
      return true;
    },
  };
  views = new CurrentViews(reader, progress, store);
  const document = (organization: OrganizationId, own: readonly string[], at: number) => ({
    kind: 'upsert' as const,
    row: row(organization, { tags: own, createdAt: MOMENT + at, updatedAt: MOMENT + at + 1 }),
    units: unitSet('one', 'two'),
  });
  const rows = [
    document(ORGANIZATION, ['a', 'b'], 10),
    document(ORGANIZATION, ['b'], 20),
    document(OTHER, ['a', 'elsewhere'], 30),
  ];
  await writer.apply(rows, 'test:1' as Position);
  await tags.change(systemScope(ORGANIZATION), 'set', systemCause(), () => ({ name: 'Only set' }));
  await tags.change(systemScope(OTHER), 'a', systemCause(), () => ({ name: 'Of others' }));
});
afterAll(async () => {
  await reader.close();
  await writer.close();
  await store.close();
  await rm(folder, { recursive: true });
});

const principalOf = (own: TagSelection, organization = ORGANIZATION): Principal => ({
  ...{ organization, keyId: 'k', role: 'member', tags: own, writableTags: own },
});
const list = (own: TagSelection) =>
  new ListContainerTagsHandler(views, merges, systemClock).execute(new ListContainerTags(principalOf(own)));
const get = (own: TagSelection, tag: string) =>
  new GetContainerTagHandler(tags, views).execute(new GetContainerTag(principalOf(own), tag));
const change = (own: TagSelection, tag: string, changes: Partial<TagValues>) =>
  new ChangeContainerTagHandler(tags, views).execute(new ChangeContainerTag(principalOf(own), tag, changes));

const added: DocumentEvent = {
  ...{ type: 'DocumentAdded', contentVersion: 1 },
  payload: {
    ...{ id: 'd', customId: null, content: { text: { inline: 'x' } }, type: 'text', source: 'api', url: null },
    ...{ metadata: null, filepath: null, taskType: 'memory', documentDate: null },
  },
};
/** Records a document that the views never show. */
const record = (own: readonly string[], organization = ORGANIZATION, id = newId()) =>
  documents.create(systemScope(organization), id, systemCause(), [added], own);

describe('a list', () => {
  test('has the tags of documents and those with values, with their totals', async () => {
    const [a, b, set] = await list('all');
    expect(a).toMatchObject({ tag: 'a', name: null, documents: 1, memories: 2, createdAt: MOMENT + 10 });
    expect(b).toMatchObject({
      tag: 'b',
      documents: 2,
      memories: 4,
      updatedAt: MOMENT + 21,
      lastActivityAt: MOMENT + 21,
    });
    expect(set).toMatchObject({ tag: 'set', name: 'Only set', documents: 0, memories: 0, lastActivityAt: null });
    expect(a?.id).toMatch(/^[A-Za-z0-9]{22}$/);
    expect((await list('all')).map(({ id }) => id)).toEqual([a?.id, b?.id, set?.id]);
  });

  test('has only the tags of the scope', async () => {
    expect((await list(['a', 'elsewhere', 'set'])).map(({ tag }) => tag)).toEqual(['a', 'set']);
    expect(await list([])).toEqual([]);
  });
});

describe('a tag', () => {
  test('of a document can be read without values', async () => {
    expect(await get(['a'], 'a')).toEqual(
      ok({
        ...{ tag: 'a', name: null, entityContext: null, memoryFilesystemPaths: null, profileBuckets: [] },
        ...{ createdAt: MOMENT + 10, updatedAt: MOMENT + 11 },
      }),
    );
  });

  test.each([
    ['that nothing carries', 'all', 'unknown', 'tag_not_found'],
    ['of another organization', 'all', 'elsewhere', 'tag_not_found'],
  ] as const)('%s cannot be read or changed', async (_, own, tag, refusal) => {
    const before = await store.head();
    expect(await get(own, tag)).toEqual(err(refusal));
    expect(await change(own, tag, { name: 'Mine' })).toEqual(err(refusal));
    expect(await store.head()).toBe(before);
  });

  test('that the principal has not cannot be read or changed', async () => {
    const before = await store.head();
    await expect(get(['b'], 'a')).rejects.toThrow(expect.objectContaining({ code: 'forbidden' }));
    expect(await change(['b'], 'a', { name: 'Mine' })).toEqual(err('forbidden'));
    expect(await store.head()).toBe(before);
  });

  test('keeps what is set on it, until that is erased', async () => {
    const bucket = { key: 'taste', description: 'What is liked' };
    expect(await change(['b'], 'b', { name: 'Bee', profileBuckets: [bucket] })).toMatchObject(
      ok({ name: 'Bee', profileBuckets: [bucket], createdAt: MOMENT + 10 }),
    );
    expect(await get('all', 'b')).toMatchObject(ok({ name: 'Bee', entityContext: null, profileBuckets: [bucket] }));
    expect((await list(['b']))[0]).toMatchObject({ tag: 'b', name: 'Bee' });
    await tags.erase(writeScope(principalOf(['a'])), 'b', systemCause());
    expect(await get('all', 'b')).toMatchObject(ok({ name: 'Bee' }));
    await tags.erase(writeScope(principalOf(['b'])), 'b', systemCause());
    expect(await get('all', 'b')).toMatchObject(ok({ name: null, profileBuckets: [] }));
    expect((await list(['b']))[0]).toMatchObject({ name: null });
    expect(await change('all', 'b', { entityContext: 'Bees' })).toMatchObject(
      ok({ name: null, entityContext: 'Bees' }),
    );
  });
  test('that the views do not show yet is known from the log', async () => {
    await list('all');
    const behind = new CurrentViews(reader, { reached: async () => false }, store);
    const getLate = (tag: string) =>
      new GetContainerTagHandler(tags, behind).execute(new GetContainerTag(principalOf('all'), tag));
    const changeLate = (tag: string) =>
      new ChangeContainerTagHandler(tags, behind).execute(
        new ChangeContainerTag(principalOf('all'), tag, { name: 'Late' }),
      );
    const id = newId();
    await record(['late', 'gone'], ORGANIZATION, id);
    await record(['of-others'], OTHER);
    expect(await getLate('gone')).toMatchObject(ok({ tag: 'gone', name: null }));
    expect(await changeLate('late')).toMatchObject(ok({ tag: 'late', name: 'Late' }));
    expect(await changeLate('of-others')).toEqual(err('tag_not_found'));

    const deleted: DocumentEvent = { type: 'DocumentDeleted', payload: null };
    await documents.change(systemScope(ORGANIZATION), id, systemCause(), () => ok([deleted]));
    expect(await getLate('gone')).toEqual(err('tag_not_found'));
    await tags.erase(systemScope(ORGANIZATION), 'late', systemCause());
  });
});

describe('the context of an add', () => {
  const add = (own: TagSelection, entityContext: string) =>
    new AddEntityContextHandler(tags).execute(new AddEntityContext(principalOf(own), ['a', 'b'], entityContext));

  test('is set on the tags of the scope that have none', async () => {
    await change('all', 'b', { entityContext: 'Of b' });
    await add(['b'], 'New');
    expect(await get('all', 'a')).toMatchObject(ok({ entityContext: null }));
    await add('all', 'New');
    await add('all', 'Later');
    expect(await get('all', 'a')).toMatchObject(ok({ entityContext: 'New' }));
    expect(await get('all', 'b')).toMatchObject(ok({ entityContext: 'Of b' }));
  });
});

describe('a merge', () => {
  const merge = (own: TagSelection, sources: readonly string[], target: string) =>
    new MergeContainerTagsHandler(merges, tags, views).execute(
      new MergeContainerTags(principalOf(own), sources, target),
    );
  const status = (id: string, organization = ORGANIZATION) =>
    new GetTagMergeHandler(merges).execute(new GetTagMerge(principalOf('all', organization), id));

  test.each([
    ['without a source', 'all', ['b'], 'no_source'],
    ['of a tag that nothing carries', 'all', ['a', 'elsewhere'], 'tag_not_found'],
    ['of a tag outside the scope', ['b'], ['a'], 'forbidden'],
    ['into a tag outside the scope', ['a'], ['a'], 'forbidden'],
  ] as const)('%s is refused, and nothing is recorded', async (_, own, sources, refusal) => {
    const before = await store.head();
    expect(await merge(own, sources, 'b')).toEqual(err(refusal));
    expect(await store.head()).toBe(before);
  });

  test('locks its sources until it has ended, in its organization', async () => {
    const started = await merge('all', ['a', 'b'], 'b');
    if (!started.ok) throw new Error(started.error);
    const { id } = started.value;
    expect(started.value).toEqual({ id, target: 'b', sources: ['a'] });
    const [a, b] = await list('all');
    expect(a?.merge).toEqual({ id, target: 'b', isSource: true });
    expect(b?.merge).toEqual({ id, target: 'b', isSource: false });

    const before = await store.head();
    await expect(record(['c', 'a'])).rejects.toMatchObject({ code: 'tag_merging' });
    await expect(change('all', 'a', { name: 'A' })).rejects.toMatchObject({ code: 'tag_merging' });
    for (const [sources, target] of [
      [['a'], 'c'],
      [['set'], 'a'],
      [['b'], 'c'],
    ] as const) {
      expect(await merge('all', sources, target)).toEqual(err('tag_merging'));
    }
    expect(await store.head()).toBe(before);
    expect((await record(['b'])).ok).toBe(true);
    expect((await record(['a'], OTHER)).ok).toBe(true);

    expect(await status(id)).toMatchObject(ok({ status: 'queued', attempt: 0 }));
    expect(await status(id, OTHER)).toEqual(err('merge_not_found'));
    const [running] = (await merges.load(ORGANIZATION)).running;
    if (running === undefined) throw new Error('there is no merge');
    await merges.record(ORGANIZATION, running, { type: 'TagMergeFailed', payload: null, code: 'merge_failed' });
    expect(await status(id)).toMatchObject(ok({ status: 'failed', error: 'merge_failed' }));
    expect((await record(['a'])).ok).toBe(true);
  });
});

/** Bulk deletions that were requested. What they erase is erased elsewhere. */
const requested: { readonly tags: TagSelection; readonly selection: unknown }[] = [];
const bulk = {
  delete: async ({ organization, tags: own }: AccessScope, _actor: string, selection: { readonly tag: string }) => {
    requested.push({ tags: own, selection });
    await tags.erase(systemScope(organization), selection.tag, systemCause());
    return ok({ deletedCount: 0, errors: [] });
  },
} as unknown as BulkDeletions;
const deletion = () => new TagDeletion(tags, merges, bulk, views);

describe('a deletion', () => {
  const remove = (own: TagSelection, tag: string) =>
    new DeleteContainerTagHandler(deletion()).execute(new DeleteContainerTag(principalOf(own), tag));

  test.each([
    ['that nothing carries', 'all', 'unknown', 'tag_not_found'],
    ['of another organization', 'all', 'elsewhere', 'tag_not_found'],
    ['outside the scope', ['b'], 'a', 'forbidden'],
  ] as const)('of a tag %s is refused, and nothing is recorded', async (_, own, tag, refusal) => {
    const before = await store.head();
    expect(await remove(own, tag)).toEqual(err(refusal));
    expect(await store.head()).toBe(before);
    expect(requested).toEqual([]);
  });

  test('erases what is set on a tag, also without documents', async () => {
    await tags.change(systemScope(ORGANIZATION), 'empty', systemCause(), () => ({ name: 'Empty' }));
    expect(await remove('all', 'empty')).toEqual(ok({ documents: 0, memories: 0 }));
    expect(await get('all', 'empty')).toEqual(err('tag_not_found'));
    expect(requested.at(-1)).toEqual({ tags: 'all', selection: { by: 'tag', tag: 'empty' } });
  });

  test('counts the memories of documents without another tag', async () => {
    expect(await remove('all', 'b')).toEqual(ok({ documents: 0, memories: 2 }));
    expect(await remove('all', 'a')).toEqual(ok({ documents: 0, memories: 0 }));
  });

  test('is refused during a merge of the tag', async () => {
    const cause = systemCause();
    await merges.start(ORGANIZATION, cause, { target: 'x', sources: ['set'] });
    expect(await remove('all', 'set')).toEqual(err('tag_merging'));
    const [running] = (await merges.load(ORGANIZATION)).running;
    if (running !== undefined) {
      await merges.record(ORGANIZATION, running, { type: 'TagMergeCompleted', payload: null });
    }
    expect(await remove('all', 'set')).toEqual(ok({ documents: 0, memories: 0 }));
  });
});

describe('projects', () => {
  const create = (name: string) =>
    new CreateProjectHandler(tags, views).execute(new CreateProject(principalOf('all'), name, null));
  const remove = (own: TagSelection, id: string, target: string | null) =>
    new DeleteProjectHandler(new ListContainerTagsHandler(views, merges, systemClock), deletion(), merges).execute(
      new DeleteProject(principalOf(own), id, target),
    );

  test('are tags with a name, and no two share a tag', async () => {
    const names = ['Tea & Cöffee', 'tea coffee', '日本', '!!'];
    const created = await Promise.all(names.slice(0, 2).map(create));
    expect(created.map(({ tag }) => tag).sort()).toEqual(['sm_project_tea-coffee', 'sm_project_tea-coffee-2']);
    expect((await create('日本')).tag).toBe('sm_project_日本');
    expect((await create('!!')).tag).toBe('sm_project_project');
    const listed = (await list('all')).filter(({ tag }) => tag.startsWith('sm_project_'));
    expect(listed.map(({ name }) => name).sort()).toEqual([...names].sort());
  });

  test('are deleted within the scope only, and move to another project only', async () => {
    const [project, tag] = [await create('Short'), (await list('all'))[0]];
    expect(await remove(['a'], project.id, null)).toEqual(err('project_not_found'));
    expect(await remove('all', tag?.id ?? '', null)).toEqual(err('project_not_found'));
    expect(await remove('all', project.id, project.id)).toEqual(err('no_target'));
    expect(await remove('all', project.id, tag?.id ?? '')).toEqual(err('no_target'));
    expect(await remove('all', project.id, null)).toEqual(ok({ documents: 0, memories: 0 }));
    expect(await remove('all', project.id, null)).toEqual(err('project_not_found'));
  });
});
