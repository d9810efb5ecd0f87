import type { OrganizationId } from '#platform/kernel';
import type { RecordedEvent } from '#ports/event-store';
import type { UnfinishedDocument } from '#read-side/views';
import type { Load } from '../load.ts';
import { STAGES } from '../stages/registry.ts';
import type { Stage } from '../stages/stage.ts';
import type { Dispatcher } from './dispatcher.ts';
import type { Task } from './task.ts';
import { TaskTable } from './task-table.ts';

const stage = (name: string): Stage => STAGES.find((one) => one.name === name) as Stage;
const EMBED = stage('embed');
const SUMMARIZE = stage('summarize');
const DOCUMENT: UnfinishedDocument = {
  ...{
    organization: 'org' as OrganizationId,
    id: 'document',
    tag: 'tag',
    tags: ['tag'],
    stage: 'done',
    contentVersion: 1,
    size: 10,
  },
  ...{ updatedAt: 0 },
};

let table: TaskTable;
let queued: string[];

beforeEach(() => {
  queued = [];
  const dispatcher = { add: ({ stage: { name } }: Task) => queued.push(name), remove: () => {}, move: () => {} };
  table = new TaskTable({
    dispatcher: dispatcher as unknown as Dispatcher,
    resources: { isAvailable: () => true } as never,
    clock: { now: () => 0 } as never,
    load: { unfinished: 0 } as Load,
    onBackfillEnded: () => {},
  });
});

const recorded = (type: string, ofStage: string): RecordedEvent =>
  ({
    stream: 'document-org_document',
    envelope: { type, organization: 'org', contentVersion: 1, stage: ofStage, tags: ['tag'], correlationId: 'c' },
  }) as unknown as RecordedEvent;

test('a list that was read before a backfill ended does not begin it again', () => {
  table.addBackfill(DOCUMENT, SUMMARIZE);
  table.beginList();
  table.observe(recorded('SummaryFormed', 'summarizing'));
  expect(table.backfills).toBe(0);
  table.addBackfill(DOCUMENT, SUMMARIZE);
  table.endList();
  expect(queued).toEqual(['summarize']);

  table.beginList();
  table.addBackfill(DOCUMENT, SUMMARIZE);
  expect(queued).toEqual(['summarize', 'summarize']);
});

test('a backfill that is listed while another one of the document is in work follows it', () => {
  table.addBackfill(DOCUMENT, SUMMARIZE);
  table.addBackfill(DOCUMENT, EMBED);
  expect(queued).toEqual(['summarize']);
  table.observe(recorded('SummaryFormed', 'summarizing'));
  expect(queued).toEqual(['summarize', 'embed']);
});
