import { languageAmong, languageOf, primaryLanguage } from './index.ts';

describe('languageOf', () => {
  test.each([
    ['en', 'The heron waits at the edge of the water, and it strikes when a fish comes near.'],
    ['en', 'We painted the kitchen yellow last spring.'],
    // Short texts with names, which the detector takes for Serbian, Irish and Afrikaans.
    ['en', 'Dana lives in Bergen. Dana rows on Saturdays.'],
    ['en', 'Jonas is allergic to peanuts.'],
    ['en', 'Paulo is in Rio for a week'],
    // Without the letters that tell the language, and with words that English has too.
    ['de', 'Wir waren in der Stadt, die so hell war.'],
    ['nl', 'De hond was in huis en de kat lag op het bed.'],
    ['pl', 'Kot na stole i pies na dywanie lezy.'],
    ['de', 'Der Reiher wartet am Ufer und stößt zu, wenn ein Fisch in die Nähe kommt. Das ist nicht leicht.'],
    ['de', 'Wer ist für die Rechnungen zuständig?'],
    ['fr', 'Le héron attend au bord de l’eau et frappe quand un poisson passe dans les herbes. Il est patient.'],
    ['fr', 'Elle garde son vélo à la cave.'],
    ['es', 'La garza espera en la orilla del agua y ataca cuando un pez se acerca. No es fácil para el pez.'],
    ['es', '¿Dónde dejó el fontanero sus herramientas?'],
    ['it', 'L’airone aspetta sulla riva e colpisce quando un pesce si avvicina. Non è una cosa facile per il pesce.'],
    ['it', 'Il cane dorme accanto alla stufa.'],
    [
      'pt',
      'A garça espera na margem e ataca quando um peixe se aproxima. Não é fácil para o peixe, mas ela não desiste.',
    ],
    ['pt', 'Os nossos vizinhos cultivam tomates na varanda.'],
    ['nl', 'De reiger wacht aan de oever en slaat toe als er een vis in de buurt komt. Het is niet makkelijk.'],
    ['nl', 'Zij bewaart haar fiets in de kelder.'],
    ['pl', 'Czapla czeka na brzegu i uderza, kiedy ryba się zbliży. To nie jest łatwe, ale ona ma czas.'],
    ['tr', 'Balıkçıl suyun kenarında bekler ve bir balık gelince vurur. Bu onun için çok kolay değil ama sabırlı.'],
    ['ru', 'Цапля ждёт на берегу и бьёт, когда рыба подходит близко. Это не так просто, но она терпелива.'],
    ['ru', 'Она хранит велосипед в подвале.'],
    ['uk', 'Чапля чекає на березі та б’є, коли риба підходить близько. Це не так просто, але вона має час.'],
    ['el', 'Ο ερωδιός περιμένει στην όχθη και χτυπά όταν πλησιάζει ένα ψάρι.'],
    ['he', 'האנפה מחכה על שפת המים ומכה כאשר דג מתקרב.'],
    ['ar', 'ينتظر مالك الحزين على حافة الماء في الصباح من أن تأتي إلى هذا المكان التي فيها سمكة.'],
    ['hi', 'बगुला पानी के किनारे इंतज़ार करता है और मछली आने पर वार करता है।'],
    ['ja', '鷺は水辺で待ち、魚が近づくと素早く突く。とても辛抱強い鳥である。'],
    ['ja', '犬はストーブの隣で寝ている。'],
    ['zh', '苍鹭在水边等待,鱼一靠近就迅速出击。它非常有耐心。'],
    ['zh', '谁负责发票？'],
    ['zh', '文件超过2GB时软件就会崩溃。'],
    ['ja', '古い橋は1987年に取り壊された。'],
    ['ko', '왜가리는 물가에서 기다리다가 물고기가 가까이 오면 재빨리 낚아챈다.'],
    [
      'sw',
      'Korongo anasubiri ukingoni mwa maji na kushambulia samaki anapokaribia. Si rahisi kwa samaki, lakini yeye ni mvumilivu.',
    ],
    ['sw', 'Watoto wanacheza mpira katika uwanja wa shule kila siku baada ya masomo.'],
    ['sw', 'Ninapenda kusoma vitabu vya historia wakati wa usiku.'],
    // Languages that share some of its words.
    ['es', 'Ya no la vi en la casa, pero si na más llega la llamo.'],
    ['id', 'Saya suka membaca buku sejarah pada malam hari karena rumah sangat tenang.'],
    ['tl', 'Ang mga bata ay naglalaro ng bola sa bakuran ng paaralan araw araw.'],
    ['pl', 'Kot śpi na krześle za piecem, a pies leży na dywanie.'],
    ['th', 'นกกระสารออยู่ริมน้ำและจู่โจมเมื่อปลาเข้ามาใกล้'],
  ])('%s is recognised: %s', (language, text) => {
    expect(languageOf(text)).toBe(language);
  });

  test.each([
    ['no text', ''],
    ['a few words', 'Zebra 12'],
    ['20 characters', 'Reboot ERR_4711 FW-1'],
    ['names and numbers', 'name: Ann Berg; city: Oslo; id: 8231; name: Bo Lund; city: Bergen; id: 8232'],
    ['code', 'const x = foo(bar); return x.map((y) => y.z).filter(Boolean).join("-");'],
    [
      'encoded data',
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
    ],
    ['malformed Unicode', '\ud800\udfff'.repeat(3).slice(1)],
  ])('%s has no language', (_what, text) => {
    expect(languageOf(text)).toBeNull();
  });
});

test('the beginning of a long text decides', () => {
  const german = 'Der Reiher wartet am Ufer und stößt zu, wenn ein Fisch in die Nähe kommt. ';
  const french = 'Le héron attend au bord de l’eau et frappe quand un poisson passe dans les herbes. ';
  expect(languageOf(german.repeat(10) + french.repeat(40))).toBe('de');
  expect(languageOf(french.repeat(10) + german.repeat(40))).toBe('fr');
});

test('languageAmong() chooses from the given languages, also for few words', () => {
  expect(languageAmong('Wo ist die Katze?', ['en', 'de'])).toBe('de');
  expect(languageAmong('Where is the cat?', ['en', 'de'])).toBe('en');
  expect(languageAmong('¿Dónde está el gato?', ['en', 'es', 'pt'])).toBe('es');
  expect(languageAmong('Watu wangu wako wapi sasa?', ['en', 'sw'])).toBe('sw');
  expect(languageAmong('4711', ['en', 'de'])).toBeNull();
});

test.each([
  ['en-GB', 'en'],
  [' de ', 'de'],
  ['pt_BR', 'pt'],
  ['nb-NO', 'no'],
  ['nn', 'no'],
  ['zh-Hant-TW', 'zh'],
  ['english', null],
  ['', null],
  [null, null],
])('the primary language of %s is %s', (tag, language) => {
  expect(primaryLanguage(tag)).toBe(language);
});
