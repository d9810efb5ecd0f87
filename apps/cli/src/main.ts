import { Command } from 'commander';
import { readVersion } from '#platform/config';
import { sentenceOf } from '#platform/telemetry';
import { addOperations } from './commands.ts';
import { configOf } from './common.ts';

// Whatever a command writes is readable by its user only.
process.umask(0o077);

// A reader such as `head` closes the pipe when it needs no more.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
}

const program = new Command('mneme')
  .description('Operates a Mneme server and its data folder')
  .version(readVersion())
  .enablePositionalOptions();
const models = program.command('models').description('models: embedding, speech, text in pictures');

models
  .command('install [name...]')
  .description(
    'install models before the server needs them, e.g. whisper-base or ocr-deu (default: the embedding model)',
  )
  .option('--data <folder>', 'data folder (default: MNEME_DATA, or ./data)')
  .action(async (names: readonly string[], options: { data?: string }) => {
    const { installModels } = await import('./install-models.ts');
    process.exitCode = await installModels(configOf(options), names, process.stdout, process.stderr);
  });

models
  .command('list', { isDefault: true })
  .description('list the models, verify their installed files, and look for ffmpeg')
  .option('--data <folder>', 'data folder (default: MNEME_DATA, or ./data)')
  .action(async (options: { data?: string }) => {
    const { listModels } = await import('./list-models.ts');
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
// A connection attempt to an unresponsive server would keep the process alive.
process.stdout.write('', () => process.exit());
