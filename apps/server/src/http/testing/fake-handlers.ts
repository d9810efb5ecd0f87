import { readFileSync } from 'node:fs';
import { CommandHandler, QueryHandler } from '@nestjs/cqrs';
import type { HealthReporter } from '#composition/startup';
import { AddEntityContext } from '#features/container-tags/use-cases';
import type { DeletionTotals } from '#features/documents';
import {
  AddDocument,
  AddDocuments,
  CountDocuments,
  DeleteDocument,
  DeleteDocuments,
  GetConversation,
  GetDocument,
  GetDocumentChunks,
  GetDocumentEvents,
  GetDocumentsWithMemories,
  GetFileLink,
  ListDocuments,
  ListDocumentsWithMemories,
  ListProcessing,
  type OpenedFile,
  OpenFile,
  RetryDocument,
  SaveConversation,
  type StoredConversation,
  UpdateDocument,
} from '#features/documents/use-cases';
import {
  GetContext,
  GetProfile,
  type MemoryResult,
  type Rewriting,
  SearchDocuments,
  SearchMemories,
} from '#features/search/use-cases';
import { ListMemberships } from '#features/sessions/use-cases';
import { err, ok } from '#platform/kernel';
import type { EventFeed } from '#ports/event-feed';
import type { DocumentRow, Unit } from '#read-side/views';
import { event, FOUND_DOCUMENT, found, ROW, versionOf } from './fixtures.ts';

/** The messages that the application received, and what it answers. */
export interface FakeApplication {
  asked: (
    | AddDocument
    | AddDocuments
    | DeleteDocument
    | DeleteDocuments
    | GetDocument
    | GetDocumentEvents
    | GetDocumentChunks
    | GetFileLink
    | OpenFile
    | ListDocumentsWithMemories
    | GetDocumentsWithMemories
    | CountDocuments
    | RetryDocument
    | SaveConversation
    | UpdateDocument
    | ListDocuments
    | ListProcessing
    | SearchDocuments
    | SearchMemories
    | GetProfile
    | GetContext
    | GetConversation
  )[];
  /** Text of the file of the last upload, read while it existed. */
  uploaded: string | null;
  /** Thrown by, or returned to, every call. */
  fault: Error | null;
  refusal: string | null;
  row: DocumentRow;
  memories: readonly MemoryResult[];
  rewriting: Rewriting | null;
  /** Units of every document. */
  units: readonly Unit[];
  total: number;
  totals: DeletionTotals;
  file: OpenedFile;
  /** Contexts are never answered. */
  isContextPending: boolean;
  /** What is stored of every conversation. */
  conversation: StoredConversation | null;
  follow: EventFeed['follow'];
}

const NO_EVENTS: EventFeed['follow'] = () => ({ async *[Symbol.asyncIterator]() {} });

export const initialFake = (): FakeApplication => ({
  asked: [],
  uploaded: null,
  fault: null,
  refusal: null,
  row: ROW,
  memories: [found('memory'), found('chunk')],
  rewriting: null,
  units: [],
  total: 3,
  totals: { deletedCount: 1, errors: [] },
  file: {
    ...{ name: 'Übersicht.csv', contentType: 'text/csv', bytes: 5 },
    read: async function* (start, end) {
      yield Buffer.from('a,b\n1').subarray(start, end);
    },
  },
  isContextPending: false,
  conversation: null,
  follow: NO_EVENTS,
});

export function handlersOf(fake: FakeApplication) {
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
      return answer(command, { id: 'new', status: 'queued' as const, isNew: true });
    }
  }
  @CommandHandler(AddDocuments)
  class AddMany {
    async execute(command: AddDocuments) {
      const items = command.documents.map(({ tags }, i) =>
        tags.includes('locked')
          ? err('forbidden' as const)
          : ok({ id: `new-${i}`, status: 'queued' as const, isNew: true }),
      );
      return answer(command, items);
    }
  }
  @CommandHandler(AddEntityContext)
  class Context {
    async execute() {}
  }
  @CommandHandler(SaveConversation)
  class Save {
    async execute(command: SaveConversation) {
      return answer(command, { id: 'talk', status: 'queued' as const, isNew: true });
    }
  }
  @CommandHandler(DeleteDocument)
  class Delete {
    async execute(command: DeleteDocument) {
      return answer(command, { id: ROW.id });
    }
  }
  @CommandHandler(DeleteDocuments)
  class DeleteMany {
    async execute(command: DeleteDocuments) {
      return answer(command, fake.totals);
    }
  }
  @QueryHandler(GetDocument)
  class Get {
    async execute(query: GetDocument) {
      const memories = fake.units.map(versionOf);
      const nothing = { progress: null, retry: null, encoding: null, frontMatter: null };
      return answer(query, { row: fake.row, content: 'hello', memories, ...nothing });
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
  @CommandHandler(UpdateDocument)
  class Update {
    async execute(command: UpdateDocument) {
      return answer(command, { id: ROW.id, status: 'done' as const });
    }
  }
  @QueryHandler(ListMemberships)
  class Memberships {
    async execute({ principal }: ListMemberships) {
      return [principal];
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
      return answer(query, { results: [FOUND_DOCUMENT], rewriting: fake.rewriting, timing: 1.5 });
    }
  }
  @QueryHandler(SearchMemories)
  class Memories {
    async execute(query: SearchMemories) {
      return plain(query, { results: fake.memories, rewriting: fake.rewriting, timing: 1.5 });
    }
  }
  @QueryHandler(GetProfile)
  class Profile {
    async execute(query: GetProfile) {
      return plain(query, { static: ['likes tea'], dynamic: [] });
    }
  }
  @QueryHandler(GetContext)
  class Prompted {
    async execute(query: GetContext) {
      if (fake.isContextPending) await new Promise(() => {});
      return plain(query, {
        ...{ text: '# Memories\n2025-01-02\n- likes tea', tokens: 14, tokenizer: query.options.tokenizer },
        memories: [{ id: 'm1', text: 'likes tea', date: '2025-01-02', similarity: 0.7 }],
        profile: null,
      });
    }
  }
  @QueryHandler(GetConversation)
  class Stored {
    async execute(query: GetConversation) {
      return plain(query, fake.conversation);
    }
  }
  @QueryHandler(GetDocumentChunks)
  class Chunks {
    async execute(query: GetDocumentChunks) {
      return answer(query, { id: ROW.id, createdAt: ROW.createdAt, chunks: fake.units });
    }
  }
  @QueryHandler(GetFileLink)
  class Link {
    async execute(query: GetFileLink) {
      return answer(query, { token: 'a.b_c-d' });
    }
  }
  @QueryHandler(OpenFile)
  class Open {
    async execute(query: OpenFile) {
      return answer(query, fake.file);
    }
  }
  @QueryHandler(ListDocumentsWithMemories)
  class Graph {
    async execute(query: ListDocumentsWithMemories) {
      return plain(query, {
        documents: [{ row: fake.row, memories: fake.units.map(versionOf) }],
        total: fake.total,
      });
    }
  }
  @QueryHandler(GetDocumentsWithMemories)
  class ByIds {
    async execute(query: GetDocumentsWithMemories) {
      return plain(query, [{ row: fake.row, memories: fake.units.map(versionOf) }]);
    }
  }
  @QueryHandler(CountDocuments)
  class Count {
    async execute(query: CountDocuments) {
      return plain(query, [
        { type: 'google_doc', count: 2 },
        { type: 'pdf', count: 1 },
      ]);
    }
  }
  const parts = [Stored, Chunks, Link, Open, Graph, ByIds, Count];
  return [
    ...parts,
    Add,
    Context,
    AddMany,
    Save,
    Delete,
    DeleteMany,
    Get,
    Events,
    Retry,
    Update,
    List,
    Processing,
    Memberships,
    Documents,
    Memories,
    Profile,
    Prompted,
  ];
}

export const HEALTH: HealthReporter = {
  report: async () => ({
    status: 'ok',
    version: '1.2.3',
    search: { lexical: true, vectors: false, model: null, rerank: null },
    model: { state: 'off' },
    languages: { space: 'none', model: { state: 'off' } },
    views: { rebuilding: false },
    storage: { writable: true },
    unreachable: [],
    missing: [],
    contentLoss: null,
    failingErasures: 0,
    leftOutRows: 0,
    closedSecrets: 0,
    extraction: { ocr: [{ language: 'eng', state: 'present' }], whisper: 'missing', ffmpeg: 'present' },
  }),
};
