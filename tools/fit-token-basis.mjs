/**
 * Fits the basis in which tokens of a model are compared, and writes `libs/ports/models/src/tokens/<model>.basis.bin`:
 *
 *   node --conditions=mneme-source --disable-warning=ExperimentalWarning tools/fit-token-basis.mjs FOLDER
 *
 * FOLDER holds the model, as `mneme models install` leaves it (`data/models/e5-small-v2-q`). The texts are those of this
 * project: its documentation, and the pairs of test/similarity-pairs.ts. The basis has the directions in which the states of
 * their tokens differ most (principal components), so it knows nothing of the texts that a server stores.
 */
import { glob, readFile, writeFile } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { openBareModel } from '../libs/ports/models/src/bare-model.ts';
import { MODELS, modelPaths } from '../libs/ports/models/src/model-files.ts';
import { encodeBasis } from '../libs/ports/models/src/tokens/basis-codec.ts';
import { NEAR_VERBATIM, PARAPHRASES, UNRELATED } from '../test/similarity-pairs.ts';

const DIMENSIONS = 64;
const ITERATIONS = 200;
/** Of one text that goes through the model. */
const MOST_CHARACTERS = 600;

const root = resolve(import.meta.dirname, '..');

async function documentation() {
  const files = ['README.md', ...(await Array.fromAsync(glob('docs/**/*.md', { cwd: root })))].sort();
  const texts = await Promise.all(files.map((file) => readFile(resolve(root, file), 'utf8')));
  return texts.flatMap((text) => text.replaceAll(/```[\s\S]*?```/g, '').split(/\n\s*\n|\n(?=[-|\d])/)).flatMap(pieces);
}

/** Divides a paragraph without its marks. */
function pieces(paragraph) {
  const text = paragraph
    .replaceAll(/\]\([^)]*\)|[#*|`[\]]/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim();
  return text.length < 20 ? [] : (text.match(new RegExp(`.{1,${MOST_CHARACTERS}}(?:\\s|$)`, 'g')) ?? []);
}

/** Adds up mean and second moments of the states of tokens. */
class Moments {
  tokens = 0;

  constructor(width) {
    this.width = width;
    this.sums = new Float64Array(width);
    this.products = new Float64Array(width * width);
  }

  add(states) {
    const { width, sums, products } = this;
    for (let at = 0; at < states.length; at += width) {
      this.tokens += 1;
      for (let i = 0; i < width; i++) {
        const value = states[at + i];
        sums[i] += value;
        const row = i * width;
        for (let j = i; j < width; j++) products[row + j] += value * states[at + j];
      }
    }
  }
}

/** Mean and covariance. Each source counts the same, however many tokens it has. */
function covarianceOf(sources, width) {
  const mean = new Float64Array(width);
  const covariance = new Float64Array(width * width);
  const share = 1 / sources.length;
  for (const { sums, tokens } of sources) for (let i = 0; i < width; i++) mean[i] += (share * sums[i]) / tokens;
  for (let i = 0; i < width; i++) {
    for (let j = i; j < width; j++) {
      let value = -mean[i] * mean[j];
      for (const { products, tokens } of sources) value += (share * products[i * width + j]) / tokens;
      covariance[i * width + j] = value;
      covariance[j * width + i] = value;
    }
  }
  return { mean, covariance };
}

/** The directions of the highest variance, one after the other, by repeated multiplication. */
function principalComponents(covariance, width, count) {
  let rows = Array.from({ length: count }, (_, row) =>
    Float64Array.from({ length: width }, (_, i) => Math.sin((row + 1) * (i + 1))),
  );
  for (let iteration = 0; iteration < ITERATIONS; iteration++) {
    rows = orthonormal(rows.map((row) => multiplied(covariance, row)));
  }
  return rows;
}

function multiplied(matrix, vector) {
  const width = vector.length;
  const product = new Float64Array(width);
  for (let i = 0; i < width; i++) {
    let sum = 0;
    for (let j = 0; j < width; j++) sum += matrix[i * width + j] * vector[j];
    product[i] = sum;
  }
  return product;
}

function orthonormal(rows) {
  const done = [];
  for (const row of rows) {
    for (const other of done) {
      const along = row.reduce((sum, value, i) => sum + value * other[i], 0);
      for (let i = 0; i < row.length; i++) row[i] -= along * other[i];
    }
    const length = Math.hypot(...row);
    done.push(row.map((value) => value / length));
  }
  return done;
}

async function fitBasis(folder) {
  const entry = MODELS.find(({ name }) => name === basename(folder));
  if (entry === undefined) throw new Error(`${folder} is not named like a model`);
  const model = await openBareModel(modelPaths(folder, entry));
  const width = model.dimensions;
  const [docs, everyday] = [new Moments(width), new Moments(width)];
  for (const text of await documentation()) docs.add(await model.tokenStates('passage', text));
  for (const { asked, stored } of [...PARAPHRASES, ...NEAR_VERBATIM, ...UNRELATED]) {
    everyday.add(await model.tokenStates('query', asked));
    everyday.add(await model.tokenStates('passage', stored));
  }
  await model.close();
  console.log(`${docs.tokens} tokens of the documentation, ${everyday.tokens} of the pairs`);
  const { mean, covariance } = covarianceOf([docs, everyday], width);
  const rows = principalComponents(covariance, width, DIMENSIONS);
  let kept = 0;
  for (const row of rows) kept += multiplied(covariance, row).reduce((sum, value, i) => sum + value * row[i], 0);
  let total = 0;
  for (let i = 0; i < width; i++) total += covariance[i * width + i];
  console.log(`${((100 * kept) / total).toFixed(1)} % of the variance in ${DIMENSIONS} dimensions`);
  const bytes = encodeBasis({
    stateDimensions: width,
    dimensions: DIMENSIONS,
    mean: Float32Array.from(mean),
    rows: Float32Array.from(rows.flatMap((row) => [...row])),
  });
  const target = new URL(`../libs/ports/models/src/tokens/${entry.name}.basis.bin`, import.meta.url);
  await writeFile(target, bytes);
  console.log(`written to ${target.pathname}`);
}

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error('Give the folder of the model');
await fitBasis(resolve(folder));
