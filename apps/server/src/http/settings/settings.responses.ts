import { type Json, slugOf } from '#kernel';
import { SECRET_NAMES } from '#settings';
import type { ResetTotals, SettingsView } from '#settings/use-cases';
import type { TagBucket } from '../container-tags/container-tags.responses.ts';
import type { Count } from '../openapi/scalars.ts';
import { SECRET_MASK, type SentSettings } from './settings.dto.ts';

/** Answers about settings (contract §4.9). The classes are types only; none is instantiated. */

export class SettingsRecord {
  readonly shouldLLMFilter!: boolean | null;
  readonly filterPrompt!: string | null;
  readonly includeItems!: Json;
  readonly excludeItems!: Json;
  readonly chunkSize!: number | null;
  readonly profileBuckets!: readonly TagBucket[] | null;
  readonly workspacePrompt!: string | null;
  readonly githubClientId!: string | null;
  /** A mask, if it is set. */
  readonly githubClientSecret!: string | null;
  readonly githubCustomKeyEnabled!: boolean | null;
  readonly googleDriveClientId!: string | null;
  /** A mask, if it is set. */
  readonly googleDriveClientSecret!: string | null;
  readonly googleDriveCustomKeyEnabled!: boolean | null;
  readonly notionClientId!: string | null;
  /** A mask, if it is set. */
  readonly notionClientSecret!: string | null;
  readonly notionCustomKeyEnabled!: boolean | null;
  readonly onedriveClientId!: string | null;
  /** A mask, if it is set. */
  readonly onedriveClientSecret!: string | null;
  readonly onedriveCustomKeyEnabled!: boolean | null;
}

export class ChangedSettings {
  readonly orgId!: string;
  readonly orgSlug!: string;
  /** The fields that were sent. */
  readonly updated!: Readonly<Record<string, Json>>;
}

export class SuggestedBuckets {
  readonly suggestions!: readonly TagBucket[];
}

export function settingsRecord({ settings, secrets }: SettingsView): SettingsRecord {
  const masked = Object.fromEntries(SECRET_NAMES.map((name) => [name, secrets.includes(name) ? SECRET_MASK : null]));
  return { ...settings, ...masked } as SettingsRecord;
}

export const changedSettings = (organization: string, name: string, sent: SentSettings): ChangedSettings => {
  const masked = SECRET_NAMES.filter((secret) => sent[secret]).map((secret) => [secret, SECRET_MASK]);
  return { orgId: organization, orgSlug: slugOf(name), updated: { ...sent, ...Object.fromEntries(masked) } };
};

export class ResetReport {
  readonly success!: boolean;
  readonly deletedConnections!: Count;
  readonly deletedDocumentBatches!: Count;
  readonly deletedDocumentsApprox!: Count;
  readonly deletedMemoryRows!: Count;
  readonly deletedExtraSpaces!: Count;
  readonly clearedDefaultSpaceContext!: boolean;
  readonly clearedBrainMemoryRegistry!: boolean;
  readonly settingsReset!: boolean;
}

/** There are no connections yet; documents are erased as one batch. */
export const resetReport = ({ documents, memories, tags }: ResetTotals): ResetReport => ({
  ...{ success: true, deletedConnections: 0, deletedDocumentBatches: documents === 0 ? 0 : 1 },
  ...{ deletedDocumentsApprox: documents, deletedMemoryRows: memories, deletedExtraSpaces: tags },
  ...{ clearedDefaultSpaceContext: true, clearedBrainMemoryRegistry: true, settingsReset: true },
});
