import { randomBytes } from 'node:crypto';
import { createServer, request, type Server, type ServerResponse } from 'node:http';
import {
  countWords,
  encodeEntry,
  type Filter,
  indexUnit,
  parseFilter,
  prepareQuery,
  reorder,
  Scanner,
} from '#features/search';
import type { OrganizationId } from '#platform/kernel';
import { listen } from '../../../../../../test/support/listen.ts';
import { type DocumentRow } from '../../documents.ts';
import { RowRejectedError } from '../../errors.ts';
import { type ViewsReader } from '../../port.ts';
import type { UnitHit } from '../../queries.ts';
import {
  anyDocument,
  conversation,
  direction,
  embedded,
  foundBy,
  inWindows,
  listOf,
  newOrganization,
  nextPosition,
  OTHER_SPACE,
  removal,
  row,
  SHELVES,
  SPACE,
  searchFor,
  unitSet,
  upsert,
} from '../../testing.ts';
import { FencedError, ViewsMissingError, ViewsShapeError, ViewsUnreachableError } from './errors.ts';
import {
  type OpenSearchWriter,
  openOpenSearchReader,
  openOpenSearchWriter,
  removeOpenSearchViews,
  removeReplacedViews,
  replaceOpenSearchViews,
} from './open.ts';
import { documentKey } from './terms.ts';

const url = process.env.MNEME_TEST_OPENSEARCH_URL as string;
if (!url)
  throw new Error('MNEME_TEST_OPENSEARCH_URL must name an OpenSearch with the k-NN plugin, e.g. http://127.0.0.1:9200');

const newPrefix = () => `test-${randomBytes(6).toString('hex')}`;
const HOUR_MS = 3_600_000;

/** Sent to the engine as it is. */
async function raw(method: string, path: string, body?: unknown): Promise<Record<string, unknown>> {
  const answer = await fetch(`${url}${path}`, {
    method,
    ...(body !== undefined && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
  });
  return (await answer.json()) as Record<string, unknown>;
}

type SettingsAnswer = Record<string, { readonly settings: Readonly<Record<string, string>> }>;

interface RawHit {
  readonly _id: string;
  readonly _source: Record<string, unknown>;
}

async function rawHits(index: string, query: unknown): Promise<RawHit[]> {
  const { hits } = (await raw('POST', `/${index}/_search`, { size: 1000, query })) as { hits: { hits: RawHit[] } };
  return hits.hits;
}

/** Stands before the engine: goes away, comes back, and answers what a test wants. */
class Gate {
  answer: ((path: string, response: ServerResponse) => boolean) | null = null;
  /** A request is passed on when this has resolved. */
  hold: ((path: string) => Promise<void>) | null = null;
  readonly paths: string[] = [];
  #server: Server | null = null;
  #port = 0;

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  async start(): Promise<void> {
    const server = createServer((incoming, response) => {
      const path = incoming.url ?? '';
      this.paths.push(path);
      if (this.answer?.(path, response)) {
        incoming.resume();
        return;
      }
      const passOn = () => {
        const { method, headers } = incoming;
        const onward = request(`${url}${path}`, { method, headers }, (answer) => {
          response.writeHead(answer.statusCode ?? 500, answer.headers);
          answer.pipe(response);
        });
        onward.on('error', () => response.destroy());
        incoming.pipe(onward);
      };
      if (this.hold === null) passOn();
      else void this.hold(path).then(passOn);
    });
    this.#port = await listen(server, this.#port);
    this.#server = server;
  }

  async stop(): Promise<void> {
    const server = this.#server;
    this.#server = null;
    server?.closeAllConnections();
    await new Promise<void>((resolve) => (server === null ? resolve() : server.close(() => resolve())));
  }
}

describe('views on OpenSearch', () => {
  const prefix = newPrefix();
  let now = Date.now();
  let writer: OpenSearchWriter;
  let reader: ViewsReader;
  let organization: OrganizationId;
  const open = (changes: Partial<Parameters<typeof openOpenSearchWriter>[0]> = {}) =>
    openOpenSearchWriter({ url, prefix, fencingToken: 1, holder: 'first', now: () => now, ...changes });

  beforeAll(async () => {
    writer = await open();
    reader = await openOpenSearchReader({ url, prefix });
  });
  afterAll(async () => {
    await reader.close();
    await writer.close();
    await removeOpenSearchViews({ url, prefix });
  });
  beforeEach(() => {
    organization = newOrganization();
  });

  const one = async (document: DocumentRow) =>
    (await reader.documents({ organization, tags: 'all' }, [document.id]))[0] ?? null;
  const unitRows = (document: DocumentRow) =>
    rawHits(`${prefix}-units`, { term: { document: documentKey(document.organization, document.id) } });

  describe('changes that are brought ahead', () => {
    it('are found with the next checkpoint, and do not count as reached before', async () => {
      const document = row(organization);
      const before = await reader.checkpoint();
      await writer.bring([upsert(document, unitSet('a walrus'))]);
      expect(await reader.checkpoint()).toBe(before);
      expect(await foundBy(reader, searchFor('walrus', anyDocument(organization)))).toEqual([]);
      await writer.apply([], nextPosition());
      expect(await foundBy(reader, searchFor('walrus', anyDocument(organization)))).toEqual([document.id]);
      expect(await one(document)).toEqual(document);
    });
  });

  describe('late and repeated changes', () => {
    it('change nothing that is newer', async () => {
      const late = row(organization, { revision: 4, title: 'late', tags: ['late'] });
      const current = { ...late, revision: 5, title: 'current', tags: ['current'] };
      await writer.apply([upsert(current, unitSet('a penguin'))], nextPosition());
      await writer.apply([upsert(late, unitSet('a walrus', 'an ostrich'))], nextPosition());
      await writer.apply([removal(late)], nextPosition());
      expect(await one(late)).toEqual(current);
      expect(await foundBy(reader, searchFor('walrus ostrich', anyDocument(organization)))).toEqual([]);
      expect(await foundBy(reader, searchFor('penguin', anyDocument(organization, ['current'])))).toEqual([late.id]);
    });

    it('bring no deleted document back', async () => {
      const document = row(organization, { revision: 4 });
      await writer.apply([upsert(document, unitSet('a walrus'))], nextPosition());
      await writer.apply([removal({ ...document, revision: 6 })], nextPosition());
      await writer.apply([upsert({ ...document, revision: 5 }, unitSet('a walrus'))], nextPosition());
      expect(await one(document)).toBeNull();
      expect(await foundBy(reader, searchFor('walrus', anyDocument(organization)))).toEqual([]);
    });

    it('of a deletion that came before its document keep it out', async () => {
      const document = row(organization, { revision: 4 });
      await writer.apply([removal({ ...document, revision: 6 })], nextPosition());
      await writer.apply([upsert(document, unitSet('a walrus'))], nextPosition());
      expect(await one(document)).toBeNull();
      expect(await foundBy(reader, searchFor('walrus', anyDocument(organization)))).toEqual([]);
    });

    it.each(['before its document was there', 'of an earlier revision'])(
      'that ended behind units, %s, leave none',
      async (when) => {
        const document = row(organization, { revision: 4 });
        if (when === 'of an earlier revision') {
          await writer.apply([upsert({ ...document, revision: 3 }, unitSet('a heron'))], nextPosition());
        }
        const key = documentKey(organization, document.id);
        const path = `/${prefix}-documents/_doc/${encodeURIComponent(key)}?routing=${key}`;
        const before =
          when === 'of an earlier revision' ? ((await raw('GET', path)) as { _source: object })._source : null;
        await writer.apply([upsert(document, unitSet('a walrus', 'an ostrich'))], nextPosition());
        await raw('DELETE', path);
        if (before !== null) await raw('PUT', `${path}&version=3&version_type=external`, before);

        const next = await open();
        await next.apply([upsert({ ...document, revision: 5 }, unitSet('a penguin'))], nextPosition());
        expect(await unitRows(document)).toHaveLength(2);
        await raw('DELETE', path);
        const last = await open();
        await last.apply([removal({ ...document, revision: 6 })], nextPosition());
        expect(await unitRows(document)).toEqual([]);
        await Promise.all([next.close(), last.close()]);
      },
    );

    it('that left single units behind are not found, and are purged', async () => {
      const document = row(organization, { revision: 5 });
      await writer.apply([upsert(document, unitSet('a walrus'))], nextPosition());
      const [unit] = await unitRows(document);
      const stray = { ...unit?._source, unitsRevision: 4, ordinal: 3 };
      const id = `${documentKey(organization, document.id)}/m/3`;
      await raw(
        'PUT',
        `/${prefix}-units/_doc/${encodeURIComponent(id)}?routing=${documentKey(organization, document.id)}&refresh=true&version=4&version_type=external`,
        stray,
      );
      expect(await unitRows(document)).toHaveLength(3);
      expect(await reader.search(searchFor('walrus', anyDocument(organization)))).toHaveLength(1);
      await writer.purge();
      expect((await unitRows(document)).map(({ _id }) => _id)).not.toContain(id);
      expect(await unitRows(document)).toHaveLength(2);
    });
  });

  describe('deletion', () => {
    it('leaves rows without content, for a day', async () => {
      const document = row(organization, {
        ...{ metadata: { secret: 'walrus' }, title: 'walrus', customId: 'walrus', filepath: '/walrus' },
        vectorSpaces: [SPACE],
      });
      await writer.apply([upsert(document, embedded(['a walrus'], [1]))], nextPosition());
      await writer.apply([removal(document)], nextPosition());
      const key = documentKey(organization, document.id);
      const left = async () => [
        ...(await rawHits(`${prefix}-documents`, { ids: { values: [key] } })),
        ...(await rawHits(`${prefix}-units`, { ids: { values: [`${key}/c/0`, `${key}/m/0`] } })),
      ];
      expect((await left()).map(({ _source }) => _source)).toEqual(Array(3).fill({ deletedAt: now }));
      expect(await unitRows(document)).toEqual([]);
      now += 23 * HOUR_MS;
      await writer.purge();
      expect(await left()).toHaveLength(3);
      now += 2 * HOUR_MS;
      await writer.purge();
      expect(await left()).toEqual([]);
    });

    it('is merged out of the files', async () => {
      const own = newPrefix();
      const merging = await open({ prefix: own });
      const { signal } = new AbortController();
      const waiting = async () => {
        const answer = await raw('GET', `/${own}-documents,${own}-units/_stats/docs`);
        return (answer as { _all: { total: { docs: { deleted: number } } } })._all.total.docs.deleted;
      };
      // OpenSearch merges by itself when a fifth of the rows is deleted.
      const rows = Array.from({ length: 12 }, () => row(organization));
      await merging.apply(
        rows.map((each) => upsert(each, unitSet('a walrus'))),
        nextPosition(),
      );
      await merging.apply([removal(rows[0] as DocumentRow)], nextPosition());
      expect(await waiting()).toBeGreaterThan(0);
      await merging.mergeDaily({ signal });
      expect(await waiting()).toBe(0);
      await merging.close();
      await removeOpenSearchViews({ url, prefix: own });
    });
  });

  describe('rows', () => {
    it('keep their vectors when the document moves to other tags', async () => {
      const document = row(organization, { vectorSpaces: [SPACE] });
      await writer.apply([upsert(document, embedded(['a dog barks'], [3]))], nextPosition());
      await writer.apply([upsert({ ...document, tags: ['moved'], revision: 4 })], nextPosition());
      const vector = { space: SPACE, values: direction(3) };
      const [hit] = await reader.search(searchFor('x', anyDocument(organization, ['moved']), { vectors: [vector] }));
      expect(hit?.document.id).toBe(document.id);
      expect(hit?.evidence.cosineBare).toBeGreaterThan(0.99);
    });

    it('are found by any part of a long text', async () => {
      const text = `${'ä'.repeat(9_998)}needle${'😀'.repeat(9_000)}`;
      const document = row(organization, { metadata: { text, Text: 'needle', short: 'x' } });
      await writer.apply([upsert(document)], nextPosition());
      const holds = async (key: string, value: string, ignoreCase = false) => {
        const filter = parsed({ AND: [{ key, value, filterType: 'string_contains', ignoreCase }] });
        return (await reader.list(listOf({ ...anyDocument(organization), filter }))).total === 1;
      };
      expect(await holds('text', 'äneedle😀')).toBe(true);
      expect(await holds('text', 'ÄNEEDLE', true)).toBe(true);
      expect(await holds('text', 'ÄNEEDLE')).toBe(false);
      expect(await holds('text', text)).toBe(true);
      expect(await holds('text', `${text}x`)).toBe(false);
      expect(await holds('short', 'needle')).toBe(false);
    });

    it('that OpenSearch refuses are named', async () => {
      const [fits, refused] = [
        row(organization, { vectorSpaces: [OTHER_SPACE] }),
        row(organization, { vectorSpaces: [OTHER_SPACE] }),
      ];
      await writer.apply([upsert(fits, embedded(['a'], [1]))], nextPosition());
      const checkpoint = await reader.checkpoint();
      const wide = embedded(['b'], [1]);
      const twice = (bytes: Uint8Array) => Uint8Array.from([...bytes, ...bytes.subarray(4)]);
      const vectors = (wide.vectors ?? []).flatMap((each) =>
        each === null ? [] : [{ bare: twice(each.bare), wide: each.wide && twice(each.wide) }],
      );
      const failure = writer.apply([upsert(refused, { ...wide, vectors })], nextPosition());
      await expect(failure).rejects.toThrow(RowRejectedError);
      await expect(failure).rejects.toMatchObject({ rows: [{ organization, id: refused.id }] });
      expect(await reader.checkpoint()).toBe(checkpoint);
    });
  });

  describe('lists', () => {
    it('reach beyond ten thousand rows, from both ends', async () => {
      const rows = Array.from({ length: 10_060 }, (_, i) => row(organization, { id: `d${i}`, createdAt: i }));
      await writer.apply(
        rows.map((each) => upsert(each)),
        nextPosition(),
      );
      const ids = (from: number, to: number) => rows.slice(from, to).map(({ id }) => id);
      for (const [offset, limit] of [
        [5_040, 20],
        [9_995, 10],
        [10_020, 20],
        [10_050, 20],
        [10_060, 5],
        [0, 10_060],
      ] as const) {
        const page = await reader.list(listOf(anyDocument(organization), { order: 'asc', offset, limit }));
        expect(page.total).toBe(rows.length);
        expect(page.rows.map(({ id }) => id)).toEqual(ids(offset, offset + limit));
      }
    });
  });

  describe('statistics', () => {
    it('are those of the scope: ten thousand rows under another tag change no rank and no score', async () => {
      const texts = ['a walrus and a penguin', 'the penguin sleeps', 'a walrus, a walrus', 'no animal here', 'penguin'];
      const own = texts.map((text, i) =>
        upsert(row(organization, { tags: ['own'], vectorSpaces: [SPACE] }), embedded([text], [i])),
      );
      await writer.apply(own, nextPosition());
      const query = searchFor('walrus penguin', anyDocument(organization, ['own']), {
        vectors: [{ space: SPACE, values: direction(2) }],
      });
      const picking = await openOpenSearchReader({ url, prefix, mostScanned: 0 });
      const readers = [reader, picking];
      const before = await Promise.all(readers.map((each) => each.search(query)));
      expect(before.map(({ length }) => length)).toEqual([5, 5]);
      const many = Array.from({ length: 1_000 }, (_, i) => {
        const text = Array.from({ length: 5 }, (_, k) => `walrus ${'ice '.repeat(k)}${i}`);
        return upsert(row(organization, { tags: ['other'], vectorSpaces: [SPACE] }), embedded(text, [0, 1, 2, 3, 4]));
      });
      await writer.apply(many, nextPosition());
      expect(await Promise.all(readers.map((each) => each.search(query)))).toEqual(before);
      await picking.close();
    });
  });

  describe('a scope', () => {
    const texts = [
      ['a walrus and a penguin', 'the penguin sleeps', 'what does the walrus eat?'],
      ['a walrus, a walrus', 'no animal here'],
      ['penguin'],
    ];
    const changes = () =>
      texts.map((own, i) => {
        const set = embedded(
          own,
          own.map((_, k) => 3 * i + k),
        );
        return {
          row: row(organization, { vectorSpaces: [SPACE], metadata: { i } }),
          set: { ...set, header: `day ${i}` },
        };
      });
    const question = 'the walrus and the penguin of day 2';
    const vector = direction(4);

    it('is ranked as the embedded engine ranks it, to the last digit', async () => {
      const documents = changes();
      await writer.apply(
        documents.map(({ row, set }) => upsert(row, set)),
        nextPosition(),
      );
      const scanner = new Scanner();
      const only = (slot: number) => slot !== 1;
      for (const { filter, wanted } of [
        { filter: null, wanted: () => true },
        { filter: parsed({ AND: [{ key: 'i', value: '1', negate: true }] }), wanted: only },
      ]) {
        scanner.begin(prepareQuery(question, vector));
        documents.forEach(({ set }, slot) => {
          const units = set.units.flatMap(({ kind, text }, i) =>
            kind === 'memory' ? [indexUnit(text, null, set.vectors?.[i] ?? null)] : [],
          );
          scanner.add(slot, encodeEntry({ header: countWords(set.header), units }), wanted(slot));
        });
        const ranked = scanner.finish({ limit: 10 });
        expect(ranked.length).toBeGreaterThan(3);
        const hits = await reader.search(
          searchFor(
            question,
            { ...anyDocument(organization), filter },
            { vectors: [{ space: SPACE, values: vector }] },
          ),
        );
        expect(hits.map(({ score, evidence, document, unit }) => [document.id, unit.ordinal, score, evidence])).toEqual(
          ranked.map(({ slot, ordinal, score, evidence }) => [documents[slot]?.row.id, ordinal, score, evidence]),
        );
      }
    });

    it('of conversations is reordered as by the embedded engine, to the last digit', async () => {
      const documents = Array.from({ length: 8 }, (_, i) => {
        const turns = Array.from({ length: 20 }, (_, k) => {
          const said = ['a walrus', 'the penguin sleeps on Monday', 'and?'][(k + i) % 3];
          return `${k % 2 === 0 ? 'Ann' : 'Bob'}: ${said} ${k}`;
        });
        const axes = turns.map((_, k) => 5 * i + 3 * k);
        const set = conversation(turns, axes);
        return {
          row: row(organization, { vectorSpaces: [SPACE], documentDate: `2024-05-0${i + 1}` }),
          set: i % 2 === 0 ? set : inWindows(set),
        };
      });
      await writer.apply(
        documents.map(({ row, set }) => upsert(row, set)),
        nextPosition(),
      );
      const core = direction(7);
      const scanner = new Scanner();
      for (const asked of ['When did Ann see the walrus on 3 May 2024?', 'penguin']) {
        scanner.begin(prepareQuery(asked, vector, { core }));
        const memories = documents.map(({ set }) => set.units.filter(({ kind }) => kind === 'memory'));
        documents.forEach(({ set }, slot) => {
          const units = set.units.flatMap(({ kind, text, speaker }, i) =>
            kind === 'memory' ? [indexUnit(text, speaker, set.vectors?.[i] ?? null)] : [],
          );
          scanner.add(slot, encodeEntry({ header: countWords(set.header), units }), true);
        });
        const best = scanner.finish({ limit: 150 }).map((unit) => ({
          ...unit,
          document: unit.slot,
          text: memories[unit.slot]?.[unit.ordinal]?.text as string,
          speaker: memories[unit.slot]?.[unit.ordinal]?.speaker as string,
          documentDate: documents[unit.slot]?.row.documentDate as string,
        }));
        const vectors = [{ space: SPACE, values: vector, core }];
        const hits = await reader.search(searchFor(asked, anyDocument(organization), { vectors, limit: 150 }));
        expect(hits.filter(({ features }) => features !== null)).toHaveLength(100);
        expect(
          hits.map(({ document, unit, score, evidence, features }) => [
            ...[document.id, unit.ordinal, score],
            ...[evidence, features],
          ]),
        ).toEqual(
          reorder(asked, best, SPACE).map(({ unit: { slot, ordinal, score, evidence }, features }) => [
            ...[documents[slot]?.row.id, ordinal, score],
            ...[evidence, features],
          ]),
        );
      }
    });

    it('that grows too large to be scanned is still searched', async () => {
      const few = await openOpenSearchReader({ url, prefix, mostScanned: 3 });
      const query = searchFor(question, anyDocument(organization), { vectors: [{ space: SPACE, values: vector }] });
      const [first, ...others] = changes();
      await writer.apply([upsert(first?.row as DocumentRow, first?.set)], nextPosition());
      expect(await few.search(query)).toEqual(await reader.search(query));
      await writer.apply(
        others.map(({ row, set }) => upsert(row, set)),
        nextPosition(),
      );
      const ids = (hits: readonly UnitHit[]) => hits.map(({ unit }) => unit.id);
      const all = ids(await reader.search(query));
      expect(all).toHaveLength(6);
      expect(ids(await few.search(query)).sort()).toEqual([...all].sort());
      expect(ids(await few.search(query)).sort()).toEqual([...all].sort());
      await few.close();
    });
  });

  describe('the lease', () => {
    const own = newPrefix();
    afterAll(() => removeOpenSearchViews({ url, prefix: own }));

    it('goes to the higher fencing token for ever; a writer that was paused past it writes no checkpoint', async () => {
      const paused = await open({ prefix: own, fencingToken: 7, holder: 'paused' });
      const document = row(organization, { revision: 1, title: 'old' });
      const [first, second] = [nextPosition(), nextPosition()];
      await paused.apply([upsert(document, unitSet('a walrus'))], first);
      const next = await open({ prefix: own, fencingToken: 8, holder: 'next' });
      expect(await next.checkpoint()).toBe(first);
      await next.apply([upsert({ ...document, revision: 2, title: 'new' }, unitSet('a penguin'))], second);
      await expect(paused.apply([upsert(document, unitSet('a walrus'))], nextPosition())).rejects.toThrow(FencedError);
      await expect(paused.apply([], nextPosition())).rejects.toThrow(FencedError);
      const seeing = await openOpenSearchReader({ url, prefix: own });
      expect(await seeing.checkpoint()).toBe(second);
      const [found] = await seeing.documents({ organization, tags: 'all' }, [document.id]);
      expect(found?.title).toBe('new');
      expect(await foundBy(seeing, searchFor('walrus', anyDocument(organization)))).toEqual([]);
      await expect(open({ prefix: own, fencingToken: 7, holder: 'paused' })).rejects.toThrow(FencedError);
      await expect(open({ prefix: own, fencingToken: 8, holder: 'another' })).rejects.toThrow(FencedError);
      const again = await open({ prefix: own, fencingToken: 8, holder: 'next' });
      expect(await again.checkpoint()).toBe(second);
      for (const each of [paused, next, seeing, again]) await each.close();
    });
  });

  describe('a writer that was paused', () => {
    const own = newPrefix();
    const gate = new Gate();

    beforeAll(() => gate.start());
    afterAll(async () => {
      await gate.stop();
      await removeOpenSearchViews({ url, prefix: own });
    });

    it.each(['units', 'documents'])('while it wrote leaves no %s when another one has taken over', async (which) => {
      const [token, at] = which === 'units' ? [1, 0] : [3, 1];
      const document = row(organization, { revision: 4 });
      const paused = await open({ url: gate.url, prefix: own, fencingToken: token, holder: 'paused' });
      const going = Promise.withResolvers<void>();
      const held = Promise.withResolvers<void>();
      let bulks = 0;
      gate.hold = async (path) => {
        if (!path.startsWith('/_bulk') || bulks++ !== at) return;
        held.resolve();
        await going.promise;
      };
      const late = paused.apply([upsert(document, unitSet('a walrus', 'an ostrich'))], nextPosition());
      const outcome = expect(late).rejects.toThrow(FencedError);
      await held.promise;
      const next = await open({ prefix: own, fencingToken: token + 1, holder: 'next' });
      await next.apply([removal({ ...document, revision: 6 })], nextPosition());
      next.caughtUp();
      going.resolve();
      await outcome;
      await raw('POST', `/${own}-units/_refresh`);
      const key = documentKey(organization, document.id);
      expect(await rawHits(`${own}-units`, { term: { document: key } })).toEqual([]);
      await Promise.all([paused.close(), next.close()]);
    });

    it.each([
      ['before it looks for the aliases of others', '_alias', 11],
      ['before it removes them', '_aliases', 21],
    ])('while it was being opened, %s, is fenced, and the other one goes on', async (_, path, token) => {
      await (await open({ prefix: own, fencingToken: token, holder: 'former' })).close();
      const going = Promise.withResolvers<void>();
      const held = Promise.withResolvers<void>();
      gate.hold = async (requested) => {
        if (!requested.endsWith(`/${path}`)) return;
        held.resolve();
        await going.promise;
      };
      const opening = open({ url: gate.url, prefix: own, fencingToken: token + 1, holder: 'paused' });
      const outcome = expect(opening).rejects.toThrow(FencedError);
      await held.promise;
      const next = await open({ prefix: own, fencingToken: token + 2, holder: 'next' });
      going.resolve();
      await outcome;
      const position = nextPosition();
      await next.apply([upsert(row(organization, { revision: 1 }), unitSet('a walrus'))], position);
      expect(await next.checkpoint()).toBe(position);
      await next.close();
    });
  });

  describe('indices', () => {
    const own = newPrefix();
    afterAll(() => removeOpenSearchViews({ url, prefix: own }));

    it('get the shards and replicas of the settings; existing ones more replicas, never fewer', async () => {
      const many = newPrefix();
      const tables = [SHELVES];
      const found = async () => {
        const answer = (await raw('GET', `/${many}-*/_settings?flat_settings=true`)) as SettingsAnswer;
        return Object.fromEntries(
          Object.entries(answer).map(([index, { settings }]) => [
            index.slice(many.length + 1),
            [settings['index.number_of_shards'], settings['index.number_of_replicas']].map(Number),
          ]),
        );
      };
      await (await open({ prefix: many, tables, shards: 2 })).close();
      const shards = { 'documents-1': 2, 'units-1': 2, 'model-shelves-1': 2, 'meta-1': 1 };
      const withReplicas = (replicas: number) =>
        Object.fromEntries(Object.entries(shards).map(([index, count]) => [index, [count, replicas]]));
      expect(await found()).toEqual(withReplicas(0));
      // As an operator may have changed them.
      const changed = { 'merge.policy.expunge_deletes_allowed': 10, 'soft_deletes.retention_lease.period': '12h' };
      await raw('PUT', `/${many}-*/_settings`, { index: changed });
      await (await open({ prefix: many, tables, replicas: 1 })).close();
      expect(await found()).toEqual(withReplicas(1));
      const { [`${many}-units-1`]: units } = (await raw(
        'GET',
        `/${many}-units/_settings?flat_settings=true`,
      )) as SettingsAnswer;
      expect(units?.settings).toMatchObject({
        'index.merge.policy.expunge_deletes_allowed': '0',
        'index.soft_deletes.retention_lease.period': '1m',
      });
      await (await open({ prefix: many, tables })).close();
      expect(await found()).toEqual(withReplicas(1));
      await removeOpenSearchViews({ url, prefix: many });
    });

    it('of another shape are refused, with what to do', async () => {
      await (await open({ prefix: own })).close();
      await raw('PUT', `/${own}-units/_mapping`, { _meta: { shape: 'older' } });
      for (const opening of [
        () => open({ prefix: own, fencingToken: 2 }),
        () => openOpenSearchReader({ url, prefix: own }),
      ]) {
        await expect(opening()).rejects.toThrow(ViewsShapeError);
        await expect(opening()).rejects.toThrow(/units-1 has the shape older.*replayed/);
      }
    });

    it('that vanish are an error until a writer creates them again, and never come back by themselves', async () => {
      const gone = newPrefix();
      const before = await open({ prefix: gone });
      const seeing = await openOpenSearchReader({ url, prefix: gone });
      await before.apply([upsert(row(organization), unitSet('a walrus'))], nextPosition());
      await removeOpenSearchViews({ url, prefix: gone });
      const query = searchFor('walrus', anyDocument(organization));
      await expect(seeing.search(query)).rejects.toThrow(ViewsUnreachableError);
      await expect(seeing.list(listOf(anyDocument(organization)))).rejects.toThrow(ViewsMissingError);
      await expect(before.apply([upsert(row(organization), unitSet('a walrus'))], nextPosition())).rejects.toThrow(
        ViewsMissingError,
      );
      await expect(before.apply([], nextPosition())).rejects.toThrow(ViewsMissingError);
      expect(await raw('GET', `/${gone}-*/_settings`)).toEqual({});
      const after = await open({ prefix: gone });
      expect(await after.checkpoint()).toBeNull();
      expect(await seeing.search(query)).toEqual([]);
      for (const each of [before, after, seeing]) await each.close();
      await removeOpenSearchViews({ url, prefix: gone });
    });
  });

  describe('views that take the place of others', () => {
    const [own, renewed] = [newPrefix(), newPrefix()];
    afterAll(() => removeOpenSearchViews({ url, prefix: own }));

    it('bring their vector space along, fence the writer, and no search fails for it', async () => {
      const document = row(organization, { vectorSpaces: [SPACE] });
      const before = await open({ prefix: own, space: SPACE });
      await before.apply([upsert(document, embedded(['a walrus'], [1]))], nextPosition());
      const beside = await open({ prefix: renewed, space: OTHER_SPACE });
      const position = nextPosition();
      const again = upsert({ ...document, vectorSpaces: [OTHER_SPACE] }, embedded(['a walrus'], [1]));
      await beside.apply([again], position);
      await beside.close();
      const seeing = await openOpenSearchReader({ url, prefix: own });
      expect(await seeing.vectorSpace()).toBe(SPACE);

      let running = true;
      let searches = 0;
      const searching = (async () => {
        while (running) {
          const found = await seeing.search(searchFor('walrus', anyDocument(organization)));
          expect(found.map(({ document: { id } }) => id)).toEqual([document.id]);
          searches += 1;
        }
      })();
      const replacement = { url, prefix: own, by: renewed, fencingToken: 1.5, holder: 'test' };
      const unready = async () => {
        // Nothing can be written to the serving views, so the new ones have time to show all of them.
        await expect(before.apply([], nextPosition())).rejects.toThrow(FencedError);
        return false;
      };
      expect(await replaceOpenSearchViews({ ...replacement, ready: unready })).toBe(false);
      expect(await seeing.vectorSpace()).toBe(SPACE);
      expect(await replaceOpenSearchViews({ ...replacement, ready: async () => true })).toBe(true);
      await removeReplacedViews({ url, prefix: own });
      running = false;
      await searching;
      expect(searches).toBeGreaterThan(1);

      expect(await seeing.vectorSpace()).toBe(OTHER_SPACE);
      expect(await seeing.checkpoint()).toBe(position);
      const vector = { space: OTHER_SPACE, values: direction(1) };
      const [hit] = await seeing.search(searchFor('walrus', anyDocument(organization), { vectors: [vector] }));
      expect(hit?.evidence.cosineBare).toBeCloseTo(1, 2);
      await expect(before.apply([], nextPosition())).rejects.toThrow(FencedError);
      const late = row(organization);
      await expect(before.bring([upsert(late, unitSet('a walrus'))])).rejects.toThrow(FencedError);
      expect(await seeing.documents({ organization, tags: 'all' }, [late.id])).toEqual([]);
      // A later writer does not change what they were made for, and nothing is left of what was replaced.
      const next = await open({ prefix: own, fencingToken: 2, space: SPACE });
      expect(await next.vectorSpace()).toBe(OTHER_SPACE);
      const left = Object.keys((await raw('GET', `/${own}-*/_settings`)) as object);
      expect(left.filter((index) => index.startsWith(own))).toEqual([]);
      for (const each of [before, next, seeing]) await each.close();
    });
  });

  describe('an engine', () => {
    const gate = new Gate();
    const own = newPrefix();
    beforeAll(() => gate.start());
    afterAll(async () => {
      await gate.stop();
      await removeOpenSearchViews({ url, prefix: own });
    });
    beforeEach(() => {
      gate.answer = null;
    });

    const refuse = (response: ServerResponse) => {
      response.writeHead(429, { 'content-type': 'application/json' });
      response.end('{"error":{"type":"rejected_execution_exception","reason":"no room"},"status":429}');
      return true;
    };

    it('without room for a bulk is asked again, and then it is an error', async () => {
      const bulk = { firstPause: 1, pauses: 3, items: 2 };
      const through = await open({ url: gate.url, prefix: own, bulk });
      const bulks = () => gate.paths.filter((path) => path.startsWith('/_bulk')).length;
      const rows = Array.from({ length: 5 }, () => row(organization));
      let refusals = 3;
      gate.answer = (path, response) => path.startsWith('/_bulk') && refusals-- > 0 && refuse(response);
      await through.apply(
        rows.map((each) => upsert(each)),
        nextPosition(),
      );
      expect(bulks()).toBe(3 + 3);
      const seeing = await openOpenSearchReader({ url, prefix: own });
      expect((await seeing.list(listOf(anyDocument(organization)))).total).toBe(5);

      const checkpoint = await seeing.checkpoint();
      gate.answer = (path, response) => path.startsWith('/_bulk') && refuse(response);
      const failure = through.apply([upsert(row(organization))], nextPosition());
      await expect(failure).rejects.toThrow(ViewsUnreachableError);
      expect(await seeing.checkpoint()).toBe(checkpoint);
      await seeing.close();
      await through.close();
    });

    it('that breaks off in the middle of a deletion leaves nothing behind when it is tried again', async () => {
      const through = await open({
        url: gate.url,
        prefix: own,
        fencingToken: 2,
        bulk: { firstPause: 1, pauses: 0, items: 3 },
      });
      const document = row(organization);
      await through.apply(
        [upsert(document, unitSet('a walrus', 'a penguin', 'an ostrich', 'a heron'))],
        nextPosition(),
      );
      let bulks = 0;
      gate.answer = (path, response) => path.startsWith('/_bulk') && ++bulks > 1 && refuse(response);
      await expect(through.apply([removal(document)], nextPosition())).rejects.toThrow(ViewsUnreachableError);
      gate.answer = null;
      await through.apply([removal(document)], nextPosition());
      const key = documentKey(organization, document.id);
      expect(await rawHits(`${own}-units`, { term: { document: key } })).toEqual([]);
      await through.close();
    });

    it('that goes away is an error for as long as it is away', async () => {
      const through = await open({ url: gate.url, prefix: own, fencingToken: 3 });
      const seeing = await openOpenSearchReader({ url: gate.url, prefix: own });
      const document = row(organization);
      await through.apply([upsert(document, unitSet('a walrus'))], nextPosition());
      const query = searchFor('walrus', anyDocument(organization));
      await gate.stop();
      await expect(seeing.search(query)).rejects.toThrow(ViewsUnreachableError);
      await expect(seeing.checkpoint()).rejects.toThrow(ViewsUnreachableError);
      await expect(through.apply([upsert(document)], nextPosition())).rejects.toThrow(ViewsUnreachableError);
      const early = await openOpenSearchReader({ url: gate.url, prefix: own });
      await expect(early.search(query)).rejects.toThrow(ViewsUnreachableError);
      await gate.start();
      expect(await foundBy(seeing, query)).toEqual([document.id]);
      expect(await foundBy(early, query)).toEqual([document.id]);
      const position = nextPosition();
      await through.apply([upsert(document)], position);
      expect(await seeing.checkpoint()).toBe(position);
      for (const each of [through, seeing, early]) await each.close();
    });
  });
});

function parsed(input: unknown): Filter {
  const result = parseFilter(input);
  if (!result.ok) throw new Error(result.error.message);
  return result.value;
}
