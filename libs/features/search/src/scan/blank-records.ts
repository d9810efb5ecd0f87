import type { RankOptions } from './rank.ts';
import { LEFT_OUT, RECORD, type ScanRecords } from './records.ts';

/** Takes words, vectors and speaker from the records of units that are left out, so that their neighbours have none of them. */
export function blankRecords(records: ScanRecords, leftOut: NonNullable<RankOptions['leftOut']>): void {
  const { uint32, slots, bytes } = records;
  const stride = bytes / 4;
  for (let document = 0, header = 0; document < slots.length; document++) {
    const units = uint32[header * stride + RECORD.units / 4] as number;
    for (const ordinal of leftOut(slots[document] as number) ?? []) {
      if (ordinal >= units) continue;
      const at = (header + 1 + ordinal) * stride;
      for (const field of BLANKED) uint32[at + field / 4] = 0;
      uint32[at + RECORD.flags / 4] = LEFT_OUT;
    }
    header += units + 1;
  }
}

const BLANKED = [RECORD.mask, RECORD.length, RECORD.speaker] as const;
