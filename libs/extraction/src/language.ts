/** UTF-16 code units of a text that its language is decided by. */
const SAMPLE = 3_000;
/** Fewer words say too little. */
const MIN_WORDS = 6;
/** The most frequent words of a language make up at least this share of a text. */
const MIN_SHARE = 0.12;
/** The best language has this many times the words of the next one. */
const MIN_LEAD = 1.25;

/** The most frequent words of languages whose script does not tell them apart. */
const WORDS: Readonly<Record<string, string>> = {
  en: 'the of and to in is that it was for on are as with his they at be this have from or had by not but what were we when your can said there which she do their if will how about out then them these so some her would him has more been who its now than i you he my me our did also after where before all into only because',
  de: 'der die und in den von zu das mit sich des auf für ist im dem nicht ein eine als auch es an werden aus er hat dass sie nach wird bei einer um am sind noch wie einem über einen so zum war haben nur oder aber vor zur bis mehr durch man sein wurde ich wir ihr kein keine wenn diese dieser',
  fr: 'de la le et les des en un du une que est pour qui dans a par plus pas au sur ne se ce il sont la avec son aux d l n s ou mais comme on tout nous sa fait été aussi leur bien peut ces y cette elle deux je vous ses même si sans être ont était',
  es: 'de la que el en y a los se del las un por con no una su para es al lo como más o pero sus le ha me si sin sobre este ya entre cuando todo esta ser son dos también fue había era muy hasta desde está nos porque yo qué el él',
  it: 'di e il la che in a per un è una non del si con da i le al dei sono della come più lo anche ma gli nel su ha se alla o delle ci questo o nella era cui tra loro essere dal suo ai stato io mi perché quando quello',
  pt: 'de a o que e do da em um para é com não uma os no se na por mais as dos como mas foi ao ele das tem à seu sua ou ser quando muito há nos já está eu também só pelo pela até isso ela entre era depois sem mesmo aos ter seus',
  nl: 'de van een het en in is dat op te zijn met voor niet die aan er om ook als dan maar bij uit nog naar door over wordt heeft worden tot hij deze werd hun geen ze ik je we wij was had kan zo of meer wel moet waar dit zij',
  sv: 'och i att det som en på är av för med den till inte har de ett om han men var jag så från vi hon kan ska nu eller sig man när här vid också efter mot mycket upp ut hade blir vara få sina min över mer där',
  da: 'og i at det er en til på af for med den som der ikke de har han et jeg var vi sig fra men om kan du så hun nu over da blev eller skal vil havde mod op efter ved hvor også være ud meget hvad mig min når',
  nb: 'og i det er som en på til av for med at den har ikke de et han jeg var fra om vi men så seg kan du hun etter nå eller skal vil hadde mot opp ved også være ut hva meg min når ble mye noen noe bare',
  fi: 'ja on ei se että oli hän mutta ovat kun niin myös tai joka olla kuin jo jos mitä sen ole mukaan hänen voi nyt sitten tämä kanssa vain minä sinä he me ne tämän jotka joita siitä vielä ollut olisi',
  pl: 'w i na z się nie to do że jest o jak a po od za ale co przez dla tym był tego już są tak czy może jego ich być go ten które który która było oraz tylko przy ze także pod mi ja my jej jako',
  cs: 'a se na v je že to s z do o i ve by za pro k jako ale tak po od jsem jsou podle které který aby který byl bylo být než už jen jeho při nebo co když také si ze však ani její má mezi',
  ro: 'și de în a la cu pe nu o din care este un să că mai pentru se au sau ca prin ce fost fi sunt după lui sa al dar până iar le ale când foarte doar această acest',
  hu: 'a az és hogy nem is egy van meg ez ki de csak azt már mint el volt még be ha le kell ezt amit ő ami sem úgy minden akkor után lehet mert pedig vagy volna lesz nagyon fel sok között',
  tr: 've bir bu da de için ile çok olarak gibi daha en var o ne kadar sonra ama olan ben sen biz her değil mi ki diye ya ise veya bunu şey göre oldu olduğu kendi büyük iki',
  id: 'yang dan di itu dengan untuk tidak ini dari dalam akan pada juga saya ke karena tersebut bisa ada mereka lebih kata tahun sudah atau saat oleh menjadi orang ia telah adalah seperti sebagai bahwa dapat para harus namun kita dua satu masih',
  vi: 'và của là có trong được không một cho các những người đã với này để từ khi đến như cũng ra vào còn nhiều theo về sẽ tại năm trên nhưng hay đó phải rất nên',
  ru: 'и в не на я что он с как это по но она к у из за его от так вы же а о то бы для мы ее был они все только было еще быть когда ли если или уже до нет при этого во чтобы',
  uk: 'і в не на що я з у та він як це до за від але по про так його є вона для ми був їх ви чи вже коли бути які який або також під після якщо було ще тільки',
  bg: 'и на в да се за от не с че е по са си като до това но ще ни а при след има или само към го който които беше вече ли още много може им бе',
  sr: 'и у је да на се за су са од не о као који али то до што из или по би био његов само ако када након није',
  ar: 'في من على إلى أن عن التي الذي هذا هذه مع كان لا ما هو هي بين كما أو قد كل بعد قبل ذلك لم و أنه',
  fa: 'و در به از که این را با است برای آن یک خود تا کرد بر هم نیز گفت می شد شده هر ما بود های اما باید',
  ur: 'کے کی میں ہے کا اور سے کو نے پر یہ کہ اس ہیں ہو ایک بھی تھا کر گیا جو نہیں لیے تو',
};

const SCRIPTS: readonly (readonly [language: string, letters: RegExp])[] = [
  ['ja', /[\u3040-\u30ff]/g],
  ['ko', /[\uac00-\ud7af]/g],
  ['zh', /[\u4e00-\u9fff]/g],
  ['th', /[\u0e00-\u0e7f]/g],
  ['he', /[\u0590-\u05ff]/g],
  ['el', /[\u0370-\u03ff]/g],
  ['hi', /[\u0900-\u097f]/g],
  ['ta', /[\u0b80-\u0bff]/g],
  ['ka', /[\u10a0-\u10ff]/g],
  ['hy', /[\u0530-\u058f]/g],
];

let languagesOf: ReadonlyMap<string, readonly string[]> | null = null;

/** Returns the language of a text by its script and its most frequent words, as a BCP 47 tag. Null: not sure. */
export function languageOf(text: string): string | null {
  const sample = text.slice(0, SAMPLE);
  const words = sample.toLowerCase().match(/[\p{L}\p{M}]+/gu) ?? [];
  return byScript(sample, words) ?? byWords(words);
}

/** Returns `en` for `en-GB`; null for what is no language tag. */
export function primaryLanguage(tag: string | null | undefined): string | null {
  return /^\s*([a-z]{2,3})(?:[-_][a-z0-9_-]{0,40})?\s*$/i.exec(tag ?? '')?.[1]?.toLowerCase() ?? null;
}

function byScript(sample: string, words: readonly string[]): string | null {
  // Most texts are in Latin letters alone.
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the range of code points below Greek
  if (/^[\u0000-\u036f\u2000-\u2fff]*$/.test(sample)) return null;
  const letters = words.reduce((sum, word) => sum + word.length, 0);
  for (const [language, pattern] of SCRIPTS) {
    const count = sample.match(pattern)?.length ?? 0;
    // Japanese is mostly written in Chinese characters.
    const share = language === 'ja' ? 0.15 : 0.6;
    if (count >= 4 && count >= letters * share) return language;
  }
  return null;
}

function byWords(words: readonly string[]): string | null {
  if (words.length < MIN_WORDS) return null;
  languagesOf ??= indexOfWords();
  const counts = new Map<string, number>();
  for (const word of words) {
    for (const language of languagesOf.get(word) ?? []) counts.set(language, (counts.get(language) ?? 0) + 1);
  }
  const [best, next] = [...counts].sort(([, a], [, b]) => b - a);
  if (best === undefined || best[1] < 3 || best[1] < words.length * MIN_SHARE) return null;
  return next !== undefined && best[1] < next[1] * MIN_LEAD ? null : best[0];
}

function indexOfWords(): ReadonlyMap<string, readonly string[]> {
  const index = new Map<string, string[]>();
  for (const [language, list] of Object.entries(WORDS)) {
    for (const word of new Set(list.split(' '))) {
      const languages = index.get(word);
      if (languages === undefined) index.set(word, [language]);
      else languages.push(language);
    }
  }
  return index;
}
