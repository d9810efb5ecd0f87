import type { Scope } from '#platform/kernel';
import type { Unit, UnitKind } from '../../../documents.ts';
import type { ViewsReader } from '../../../port.ts';
import { isInScope } from '../../../wanted.ts';
import { documentKey } from '../terms.ts';
import { parseUnitId, unitId } from '../units.ts';
import type { FoundRows } from './found-rows.ts';

/** Reads units of documents. */
export class UnitLists {
  readonly #found: FoundRows;

  constructor(found: FoundRows) {
    this.#found = found;
  }

  async units(
    scope: Scope,
    wanted: readonly { readonly documentId: string; readonly kind: UnitKind; readonly ordinals: readonly number[] }[],
  ): Promise<readonly { readonly documentId: string; readonly unit: Unit }[]> {
    const keyed = wanted.map((each) => ({ ...each, key: documentKey(scope.organization, each.documentId) }));
    const documents = await this.#found.documents([...new Set(keyed.map(({ key }) => key))]);
    const own = keyed.filter(({ key }) => isInScope(scope, documents.get(key)?.row ?? NOBODY));
    const ids = own.flatMap(({ key, kind, ordinals }) => ordinals.map((ordinal) => unitId(key, kind, ordinal)));
    const units = await this.#found.units([...new Set(ids)], documents);
    return own.flatMap(({ documentId, key, kind, ordinals }) =>
      ordinals.flatMap((ordinal) => {
        const unit = units.get(unitId(key, kind, ordinal));
        return unit === undefined ? [] : [{ documentId, unit }];
      }),
    );
  }

  async unitsOf(
    scope: Scope,
    { documentIds, kind, limit }: Parameters<ViewsReader['unitsOf']>[1],
  ): Promise<readonly { readonly documentId: string; readonly unit: Unit }[]> {
    const keys = new Map([...new Set(documentIds)].map((id) => [documentKey(scope.organization, id), id]));
    const documents = await this.#found.documents([...keys.keys()]);
    const ids: string[] = [];
    for (const key of keys.keys()) {
      const document = documents.get(key);
      if (document === undefined || !isInScope(scope, document.row)) continue;
      const count = Math.min(kind === 'chunk' ? document.chunks : document.memories, limit - ids.length);
      for (let ordinal = 0; ordinal < count; ordinal++) ids.push(unitId(key, kind, ordinal));
    }
    const units = await this.#found.units(ids, documents);
    return ids.flatMap((id) => {
      const unit = units.get(id);
      const documentId = keys.get(parseUnitId(id).document);
      return unit === undefined || documentId === undefined ? [] : [{ documentId, unit }];
    });
  }
}

/** Is in no scope. */
const NOBODY = { organization: '', tags: [] };
