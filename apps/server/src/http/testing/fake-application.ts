import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type DynamicModule, Global, Module } from '@nestjs/common';
import { CommandHandler, CqrsModule, QueryHandler } from '@nestjs/cqrs';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { createKeyRing, generateKey, KEY_RING } from '#access';
import {
  AddDocument,
  DeleteDocument,
  GetDocument,
  GetDocumentEvents,
  ListDocuments,
  ListProcessing,
  RetryDocument,
} from '#documents/use-cases';
import { EVENT_FEED, type EventFeed } from '#event-feed';
import type { Position, RecordedEvent } from '#event-store';
import { err, type OrganizationId, ok } from '#kernel';
import { HEALTH_REPORTER, type HealthReporter } from '#runtime/start';
import { type DocumentResult, GetProfile, type MemoryResult, SearchDocuments, SearchMemories } from '#search/use-cases';
import type { DocumentRow, Unit } from '#views';
import { createHttpApp, DEFAULT_MAX_BODY_BYTES, HttpModule, type HttpOptions } from '../index.ts';

export const ORGANIZATION = 'acme' as OrganizationId;

export const ROW: DocumentRow = {
  organization: ORGANIZATION,
  id: 'DocumentDocumentDocume',
  customId: 'conv-1',
  tags: ['sm_project_default', 'org/a'],
  metadata: { kind: 'chat', turns: 2, vip: false },
  stage: 'embedding',
  error: null,
  contentVersion: 1,
  title: 'Title',
  summary: 'Summary',
  type: 'text',
  url: null,
  source: 'api',
  filepath: '/a.md',
  taskType: 'memory',
  documentDate: null,
  vectorSpace: null,
  createdAt: Date.UTC(2025, 0, 2, 3, 4, 5, 678),
  updatedAt: Date.UTC(2025, 0, 2, 3, 4, 6, 1),
  revision: 3,
};

const EXPLANATION = { cosine: 0.9, cosineWide: 0.8, coverage: 0.5 };
const unit = (kind: Unit['kind']): Unit => ({ id: `${kind}-1`, kind, ordinal: 0, text: `a ${kind}`, speaker: null });

export const FOUND_DOCUMENT: DocumentResult = {
  document: ROW,
  score: 0.8,
  chunks: [{ content: 'a chunk', position: 3, score: 0.8, isRelevant: true, explanation: EXPLANATION }],
  content: 'hello',
};
export const found = (kind: Unit['kind'], document: DocumentRow = ROW): MemoryResult => ({
  unit: unit(kind),
  similarity: 0.7,
  document,
  explanation: EXPLANATION,
});

/** What the application below the edge was asked, and what it answers. */
export interface FakeApplication {
  asked: (
    | AddDocument
    | DeleteDocument
    | GetDocument
    | GetDocumentEvents
    | RetryDocument
    | ListDocuments
    | ListProcessing
    | SearchDocuments
    | SearchMemories
    | GetProfile
  )[];
  /** Text of the file of the last upload, read while it existed. */
  uploaded: string | null;
  /** Thrown by, or answered to, the next call. */
  fault: Error | null;
  refusal: string | null;
  row: DocumentRow;
  memories: readonly MemoryResult[];
  total: number;
  follow: EventFeed['follow'];
}

const NEVER: EventFeed['follow'] = () => ({ async *[Symbol.asyncIterator]() {} });

function handlersOf(fake: FakeApplication) {
  const answer = <T>(message: FakeApplication['asked'][number], value: T) => {
    fake.asked.push(message);
    if (fake.fault !== null) throw fake.fault;
    return fake.refusal === null ? ok(value) : err(fake.refusal as never);
  };
  const plain = <T>(message: FakeApplication['asked'][number], value: T): T => {
    answer(message, value);
    return value;
  };
  const page = () => ({ documents: [{ row: fake.row, content: 'hello' }], total: fake.total });

  @CommandHandler(AddDocument)
  class Add {
    async execute(command: AddDocument) {
      const { content } = command.document;
      if (typeof content !== 'string') fake.uploaded = readFileSync(content.path, 'utf8');
      return answer(command, { id: 'new', status: 'queued' as const });
    }
  }
  @CommandHandler(DeleteDocument)
  class Delete {
    async execute(command: DeleteDocument) {
      return answer(command, { id: ROW.id });
    }
  }
  @QueryHandler(GetDocument)
  class Get {
    async execute(query: GetDocument) {
      return answer(query, { row: fake.row, content: 'hello' });
    }
  }
  @QueryHandler(GetDocumentEvents)
  class Events {
    async execute(query: GetDocumentEvents) {
      return answer(query, [event(0), event(1, { type: 'DocumentDeleted', contentVersion: undefined })]);
    }
  }
  @CommandHandler(RetryDocument)
  class Retry {
    async execute(command: RetryDocument) {
      return answer(command, { id: ROW.id, status: 'queued' as const });
    }
  }
  @QueryHandler(ListDocuments)
  class List {
    async execute(query: ListDocuments) {
      return plain(query, page());
    }
  }
  @QueryHandler(ListProcessing)
  class Processing {
    async execute(query: ListProcessing) {
      return plain(query, page());
    }
  }
  @QueryHandler(SearchDocuments)
  class Documents {
    async execute(query: SearchDocuments) {
      return answer(query, [FOUND_DOCUMENT]);
    }
  }
  @QueryHandler(SearchMemories)
  class Memories {
    async execute(query: SearchMemories) {
      return plain(query, fake.memories);
    }
  }
  @QueryHandler(GetProfile)
  class Profile {
    async execute(query: GetProfile) {
      return plain(query, { static: ['likes tea'], dynamic: [] });
    }
  }
  return [Add, Delete, Get, Events, Retry, List, Processing, Documents, Memories, Profile];
}

const HEALTH: HealthReporter = {
  report: async () => ({
    status: 'ok',
    version: '1.2.3',
    search: { lexical: true, vectors: false, model: null },
    model: { state: 'off' },
    views: { rebuilding: false },
    storage: { writable: true },
    unreachable: [],
  }),
};

export interface TestApp {
  readonly app: NestFastifyApplication;
  readonly fake: FakeApplication;
  readonly secret: string;
  readonly options: HttpOptions;
  /** With the key. */
  readonly call: (
    method: string,
    url: string,
    payload?: string | object | Buffer,
    headers?: Record<string, string>,
  ) => Promise<TestAnswer>;
}

export interface TestAnswer {
  readonly status: number;
  readonly headers: Record<string, string | number | string[] | undefined>;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: an answer of any shape, looked into by the tests
  readonly body: any;
}

@Global()
@Module({})
class FakeModule {}

/** The edge as it runs, on top of an application that answers what a test wants. */
export async function startTestApp(
  overrides: Partial<HttpOptions> = {},
  extra: Pick<DynamicModule, 'controllers'> = {},
): Promise<TestApp> {
  const fake: FakeApplication = {
    asked: [],
    uploaded: null,
    fault: null,
    refusal: null,
    row: ROW,
    memories: [found('memory'), found('chunk')],
    total: 3,
    follow: NEVER,
  };
  const options: HttpOptions = {
    rateLimiter: null,
    maxBodyBytes: DEFAULT_MAX_BODY_BYTES,
    uploadFolder: mkdtempSync(join(tmpdir(), 'mneme-http-')),
    name: 'mneme',
    version: '1.2.3',
    publicUrl: null,
    ...overrides,
  };
  const { secret, hash } = generateKey(ORGANIZATION);
  const keys = createKeyRing([
    { id: 'k1', organization: ORGANIZATION, role: 'owner', hash, revokedAt: null, expiresAt: null },
  ]);
  const feed: EventFeed = {
    storeId: 'store-1',
    parsePosition: (text) => (/^\d{1,10}$/.test(text) ? (text as Position) : null),
    follow: (...args) => fake.follow(...args),
  };
  const fakes: DynamicModule = {
    module: FakeModule,
    imports: [CqrsModule.forRoot()],
    providers: [
      ...handlersOf(fake),
      { provide: KEY_RING, useValue: keys },
      { provide: EVENT_FEED, useValue: feed },
      { provide: HEALTH_REPORTER, useValue: HEALTH },
    ],
    exports: [KEY_RING, EVENT_FEED, HEALTH_REPORTER],
  };
  const root: DynamicModule = {
    module: class Root {},
    imports: [HttpModule.using({ options, imports: [fakes] })],
    ...extra,
  };
  const app = await createHttpApp(root, options, { logger: false });
  await app.init();
  await app.getHttpAdapter().getInstance().ready();

  const call: TestApp['call'] = async (method, url, payload, headers = {}) => {
    const answer = await app.inject({
      method: method as 'GET',
      url,
      headers: { authorization: `Bearer ${secret}`, ...headers },
      ...(payload === undefined ? {} : { payload }),
    });
    return { status: answer.statusCode, headers: answer.headers, text: answer.body, body: parsed(answer.body) };
  };
  return { app, fake, secret, options, call };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

export const event = (position: number, overrides: Partial<RecordedEvent['envelope']> = {}): RecordedEvent => ({
  stream: `document-${ORGANIZATION}_${ROW.id}`,
  revision: position,
  position: String(position) as Position,
  envelope: {
    id: `event-${position}`,
    type: 'DocumentAdded',
    schemaVersion: 1,
    at: '2025-01-02T03:04:05.678Z',
    organization: ORGANIZATION,
    tags: ['org/a'],
    actor: 'key:k1',
    correlationId: 'c',
    causationId: null,
    contentVersion: 1,
    sizes: { characters: 5 },
    ...overrides,
  },
  payload: { content: 'SECRET' },
});
