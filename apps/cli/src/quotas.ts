import { type Command, InvalidArgumentError } from 'commander';
import type { JsonObject } from '#platform/kernel';
import { type CommonOptions, print } from './common.ts';
import { withOrganization } from './organizations.ts';

/** Options, by the names of the quotas that they set. */
const OPTIONS = {
  documents: ['--documents <count>', 'documents at the same time'],
  storedBytes: ['--stored-bytes <count>', 'bytes of files and characters of texts'],
  addsPerDay: ['--adds-per-day <count>', 'documents and memories added in a day (UTC)'],
  tokensPerMonth: ['--tokens-per-month <count>', 'tokens embedded in a month (UTC)'],
} as const;

interface QuotaOptions extends CommonOptions {
  readonly organization?: string;
}

type Limits = Partial<Record<keyof typeof OPTIONS, number | typeof NONE>>;

const NONE = 'none';

function limit(text: string): number | typeof NONE {
  if (text === NONE) return text;
  const count = Number(text);
  if (/^\d+$/.test(text) && Number.isSafeInteger(count)) return count;
  throw new InvalidArgumentError('It is a whole number, or none.');
}

const textOf = (quotas: JsonObject): string =>
  Object.entries(OPTIONS)
    .map(([name, [, description]]) => {
      const most = quotas[name];
      return `${description}: ${most === null ? 'no limit' : Number(most).toLocaleString('en-US')}`;
    })
    .join('\n');

/** They work without a server, too. */
export function addQuotas(program: Command): void {
  const quotas = program.command('quotas').description('what an organization may have and add at most');
  withOrganization(quotas.command('show', { isDefault: true }))
    .description('show the quotas')
    .action(async (options: QuotaOptions) => {
      await print('quotas-show', options, { organization: options.organization }, textOf);
    });
  const set = withOrganization(quotas.command('set')).description(
    'set quotas, each to a number or to none; those that are not named stay',
  );
  for (const [flags, description] of Object.values(OPTIONS)) set.option(flags, description, limit);
  set.action(async (options: QuotaOptions & Limits) => {
    const { organization, documents, storedBytes, addsPerDay, tokensPerMonth } = options;
    const given = Object.entries({ documents, storedBytes, addsPerDay, tokensPerMonth }).flatMap(([name, most]) =>
      most === undefined ? [] : [[name, most === NONE ? null : most]],
    );
    if (given.length === 0) set.error('error: name a quota to set', { exitCode: 2 });
    await print('quotas-set', options, { organization, quotas: Object.fromEntries(given) as JsonObject }, textOf);
  });
}
