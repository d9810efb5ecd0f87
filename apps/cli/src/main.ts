import { Command } from 'commander';
import { readVersion } from '#config';
import { sentenceOf } from '#telemetry';
import { addOperations, configOf } from './commands.ts';

const program = new Command('mneme')
  .description('Looks after a Mneme server and its data folder')
  .version(readVersion())
  .enablePositionalOptions();
const models = program.command('models').description('The models that embed texts');

models
  .command('install [name]')
  .description('get a model now, instead of when the server needs it; without a name, the default one')
  .option('--data <folder>', 'data folder (default: MNEME_DATA, or ./data)')
  .action(async (name: string | undefined, options: { data?: string }) => {
    const { installModels } = await import('./models.ts');
    process.exitCode = await installModels({ ...configOf(options), name }, process.stdout, process.stderr);
  });

models
  .command('list')
  .description('say which models there are, which of their files are here, and whether these are whole')
  .option('--data <folder>', 'data folder (default: MNEME_DATA, or ./data)')
  .action(async (options: { data?: string }) => {
    const { listModels } = await import('./models.ts');
    process.exitCode = await listModels(configOf(options), process.stdout);
  });

addOperations(program);

try {
  await program.parseAsync();
} catch (error) {
  const sentence = sentenceOf(error);
  if (sentence === null) throw error;
  console.error(sentence);
  process.exitCode = 1;
}
// An attempt to connect to a server that says nothing goes on for a while, and nobody waits for it.
process.stdout.write('', () => process.exit());
