import type { OrganizationId } from '#platform/kernel';
import { type BenchOptions, expectStatus, type Outcome } from '../support/bench.ts';
import { accepted, countDone, drained } from '../support/documents.ts';
import type { Installation, InstallationBench } from '../support/installations.ts';
import { writeEvents } from '../support/log.ts';
import { percentile, seconds, whole } from '../support/statistics.ts';
import { sentence } from '../support/texts.ts';

const TARGET_SECONDS = 20;
/** Tags of `writeEvents`. */
const TAGS = Array.from({ length: 8 }, (_, i) => `tag-${i}`);
const OTHER = 'bench-other';

/** Time of one request that deletes documents with vectors, by tag; adds and searches under another tag go on beside it. */
export const bulkDeletion: InstallationBench = {
  name: 'bulk-deletion',
  async run({ quick, progress }: BenchOptions, installation: Installation): Promise<Outcome> {
    const documents = quick ? 1_000 : 10_000;
    const organization = await foundOrganization(installation);
    const storage = await installation.openStorage();
    try {
      await writeEvents(storage, documents, progress, organization);
    } finally {
      await storage.close();
    }
    const { took, beside } = await measure(installation, documents, progress);
    return {
      rows: [
        {
          what: `bulk deletion of ${whole(documents)} documents of a sentence with vectors, by tag`,
          measured: `${seconds(took)}; adds beside it p99 ${whole(percentile(beside, 0.99))} ms`,
          target: `≤ ${TARGET_SECONDS} s`,
          met: took <= TARGET_SECONDS,
        },
      ],
      raw: { documents, took, beside },
    };
  },
};

async function foundOrganization(installation: Installation): Promise<OrganizationId> {
  const mneme = await installation.start();
  try {
    return (await mneme.get<{ org: { id: string } }>('/v3/session')).body.org.id as OrganizationId;
  } finally {
    await mneme.stop();
  }
}

async function measure(installation: Installation, documents: number, progress: (text: string) => void) {
  const mneme = await installation.start();
  try {
    progress('waiting for the views');
    await drained(mneme, documents);
    progress('deleting');
    const begun = performance.now();
    let took: number | null = null;
    const removing = mneme
      .request<{ deletedCount: number }>('DELETE', '/v3/documents/bulk', { containerTags: TAGS })
      .finally(() => {
        took = (performance.now() - begun) / 1_000;
      });
    // A fault of an add beside it stops the server, and ends this request.
    removing.catch(() => {});
    const beside: number[] = [];
    while (took === null) {
      const from = performance.now();
      await accepted(mneme, '/v3/documents', { content: sentence(beside.length), containerTag: OTHER });
      beside.push(performance.now() - from);
    }
    const { status, body } = await removing;
    expectStatus(status, 200, 'the deletion');
    if (body.deletedCount !== documents) throw new Error(`${body.deletedCount} of ${documents} were deleted`);
    await drained(mneme, beside.length);
    const left = await countDone(mneme);
    if (left !== beside.length) throw new Error(`${left} documents are left instead of ${beside.length}`);
    return { took, beside };
  } finally {
    await mneme.stop();
  }
}
