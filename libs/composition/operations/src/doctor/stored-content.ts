import { existsSync } from 'node:fs';
import { organizationsOf } from '#features/access';
import { blobsOf, type DocumentRepository, lossIn } from '#features/documents';
import { type OrganizationId, systemScope } from '#platform/kernel';
import type { BlobStore } from '#ports/blobs';
import type { ViewsReader } from '#read-side/views';
import {
  andMore,
  type Check,
  type DoctorContext,
  failure,
  logOf,
  ok,
  readerOf,
  repositoryOf,
  required,
} from './check.ts';

/** The sample: so many pages of documents, spread evenly over all of an organization. */
const PAGES = 5;
const PAGE = 40;
/** The sample ends after this time. Milliseconds. */
const SAMPLE_MS = 4_000;
/** Documents that are named. */
const NAMED = 5;

interface Sample {
  documents: number;
  blobs: number;
  missing: number;
  /** Ids of documents that lack a blob. */
  readonly incomplete: string[];
  /** Ids of documents whose events cannot be read. */
  readonly unreadable: string[];
}

export const storedContent: Check = {
  name: 'stored content',
  about: 'Files and long texts of some documents are looked for in the store that holds them.',
  async run(context, shared) {
    const [reader, log] = [await readerOf(context, shared), logOf(context)];
    const blobs = required(context.engines.blobs, 'the store of files and long texts');
    const documents = repositoryOf(context);
    const sample: Sample = { documents: 0, blobs: 0, missing: 0, incomplete: [], unreadable: [] };
    const until = performance.now() + SAMPLE_MS;
    for (const organization of await organizationsOf(log)) {
      for await (const id of someOf(reader, organization)) {
        if (performance.now() > until) break;
        await look({ documents, blobs, organization, id }, sample).catch((error) => {
          if (lossIn(error) === null) throw error;
          sample.unreadable.push(id);
        });
      }
    }
    return resultOf(context, sample);
  },
};

/** Yields ids of documents of an organization, those of all ages. */
async function* someOf(reader: ViewsReader, organization: OrganizationId): AsyncGenerator<string> {
  const page = (offset: number) =>
    reader.list({
      ...{ scope: { organization, tags: 'all' }, holds: 'both', filter: null, filepath: null },
      ...{ stages: null, sort: 'createdAt', order: 'desc', offset, limit: PAGE },
    });
  const { rows, total } = await page(0);
  yield* rows.map(({ id }) => id);
  const pages = Math.min(PAGES, Math.ceil(total / PAGE));
  for (let i = 1; i < pages; i += 1) {
    const further = await page(Math.floor(((total - PAGE) * i) / (pages - 1)));
    yield* further.rows.map(({ id }) => id);
  }
}

interface ContentLookup {
  readonly documents: DocumentRepository;
  readonly blobs: BlobStore;
  readonly organization: OrganizationId;
  readonly id: string;
}

async function look(looked: ContentLookup, sample: Sample): Promise<void> {
  const { blobs, id } = looked;
  sample.documents += 1;
  const named = await namedBy(looked);
  sample.blobs += named.size;
  const missing: string[] = [];
  for (const blob of named) if ((await blobs.size(blob)) === null) missing.push(blob);
  if (missing.length === 0) return;
  // The document may have been changed or deleted meanwhile.
  const present = await namedBy(looked);
  const lost = missing.filter((blob) => present.has(blob)).length;
  if (lost === 0) return;
  sample.missing += lost;
  sample.incomplete.push(id);
}

async function namedBy({ documents, organization, id }: ContentLookup): Promise<ReadonlySet<string>> {
  const document = await documents.load(systemScope(organization), id);
  return document.status === 'live' ? blobsOf(document) : new Set();
}

function resultOf({ config, engines: { files } }: DoctorContext, sample: Sample) {
  const { documents, blobs, missing, incomplete, unreadable } = sample;
  const found = `${blobs - missing} of ${blobs} that ${documents} documents name are there`;
  if (missing === 0 && unreadable.length === 0) return ok(found);
  const isFolderMissing = config.natsUrl === null && !existsSync(files.blobs);
  const named = (what: string, ids: readonly string[]) =>
    ids.length === 0 ? '' : `; ${what} ${ids.slice(0, NAMED).join(', ')}${andMore(ids.length, NAMED)}`;
  const where = isFolderMissing ? `the folder ${files.blobs} does not exist; ` : '';
  return failure(
    `${where}${found}${named('missing of', incomplete)}${named('unreadable without their keys:', unreadable)}`,
    'Restore the store, then run mneme dead-letters retry; or delete these documents. See Lost content in the manual.',
  );
}
