import type { AskedPermission, Choice } from '#features/connections/use-cases';
import type { Resource } from '#ports/connectors';
import type { Count, Timestamp } from '../openapi/scalars.ts';

/** Answers about what people permit and choose. The classes are types only; none is instantiated. */

/** What a person is asked before a connection is stored. */
export class AskedConnection {
  /** Name of the provider, such as `google-drive`. */
  readonly provider!: string;
  /** By which the person knows the account. */
  readonly account!: string;
  /** Name of the organization that will read. */
  readonly organization!: string;
  /** Tags of the documents. */
  readonly containerTags!: readonly string[];
  /** Whether everything is read that the account sees; otherwise what is chosen afterwards. */
  readonly readsEverything!: boolean;
  /** Host to which the browser goes. Null: it stays. */
  readonly returnsTo!: string | null;
}

export const askedConnection = ({ tags, ...asked }: AskedPermission): AskedConnection => ({
  ...asked,
  containerTags: tags,
});

/** The person has answered. */
export class AnsweredConnection {
  /** Where the browser goes. */
  readonly location!: string;
}

/** What can be chosen of a source, or opened. */
export class ResourceRecord {
  /** As the source names it. */
  readonly id!: string;
  /** As the source shows it. */
  readonly name!: string;
  /** `section`: cannot be chosen. */
  readonly type!: 'file' | 'folder' | 'drive' | 'section';
  /** As the source names it, or null. */
  readonly mimeType!: string | null;
  /** Bytes, or null. */
  readonly size!: Count | null;
  /** When it was changed, or null. */
  readonly updatedAt!: Timestamp | null;
  /** Where a person opens it, or null. */
  readonly link!: string | null;
  /** Whether it is chosen itself; what is below a chosen folder is read with it. */
  readonly selected!: boolean;
}

const resourceRecord = ({ kind, contentType, isSelected, ...resource }: Resource): ResourceRecord => ({
  ...{ ...resource, type: kind, mimeType: contentType, selected: isSelected },
});

/** A page of resources. */
export class ResourceList {
  /** Of the page. */
  readonly resources!: readonly ResourceRecord[];
  /** Whether more pages follow. */
  readonly has_more!: boolean;
}

export const resourceList = ({ resources, hasMore }: Choice): ResourceList => ({
  ...{ resources: resources.map(resourceRecord), has_more: hasMore },
});

/** The connection reads what was chosen. */
export class ConfiguredConnection {
  /** Always true. */
  readonly success!: boolean;
  /** For people. */
  readonly message!: string;
}

/** The page on which a person chooses. */
export class PickerAddress {
  /** Of the page; it is as good as a password for this connection's selection, for as long as it counts. */
  readonly url!: string;
  /** How long it counts. */
  readonly expiresIn!: string;
}

/** Something of a source that was chosen. */
export class SelectedResource {
  /** As the source names it. */
  readonly id!: string;
  /** When it was chosen. */
  readonly name!: string;
}

/** What the picker shows. */
export class PickerPage {
  /** By which the person knows the account, or null. */
  readonly account!: string | null;
  /** Of the page. */
  readonly resources!: readonly PickedResource[];
  /** Whether more pages follow. */
  readonly hasMore!: boolean;
  /** What the connection reads now. */
  readonly selected!: readonly SelectedResource[];
}

/** A line of the picker. */
export class PickedResource {
  /** As the source names it. */
  readonly id!: string;
  /** As the source shows it. */
  readonly name!: string;
  /** `section`: cannot be chosen. */
  readonly kind!: 'file' | 'folder' | 'drive' | 'section';
  /** As the source names it, or null. */
  readonly contentType!: string | null;
}

export const pickerPage = ({ account, resources, hasMore, selected }: Choice): PickerPage => ({
  ...{ account, hasMore, selected: selected.map(({ id, name }) => ({ id, name })) },
  resources: resources.map(({ id, name, kind, contentType }) => ({ id, name, kind, contentType })),
});

/** The connection reads what was chosen. */
export class PickedAnswer {
  /** Where the browser goes. Null: it stays. */
  readonly location!: string | null;
}
