import { extract } from './index.ts';

const languageOf = async (body: string, kind = 'text') =>
  (await extract({ body, kind, fileName: null, documentDate: null })).language;

test.each([
  ['en', 'The heron waits at the edge of the water, and it strikes when a fish comes near.'],
  ['de', 'Der Reiher wartet am Ufer und stößt zu, wenn ein Fisch in die Nähe kommt. Das ist nicht leicht.'],
  ['fr', 'Le héron attend au bord de l’eau et frappe quand un poisson passe dans les herbes. Il est patient.'],
  ['es', 'La garza espera en la orilla del agua y ataca cuando un pez se acerca. No es fácil para el pez.'],
  ['it', 'L’airone aspetta sulla riva e colpisce quando un pesce si avvicina. Non è una cosa facile per il pesce.'],
  [
    'pt',
    'A garça espera na margem e ataca quando um peixe se aproxima. Não é fácil para o peixe, mas ela não desiste.',
  ],
  ['nl', 'De reiger wacht aan de oever en slaat toe als er een vis in de buurt komt. Het is niet makkelijk.'],
  ['pl', 'Czapla czeka na brzegu i uderza, kiedy ryba się zbliży. To nie jest łatwe, ale ona ma czas.'],
  ['tr', 'Balıkçıl suyun kenarında bekler ve bir balık gelince vurur. Bu onun için çok kolay değil ama sabırlı.'],
  ['ru', 'Цапля ждёт на берегу и бьёт, когда рыба подходит близко. Это не так просто, но она терпелива.'],
  ['uk', 'Чапля чекає на березі та б’є, коли риба підходить близько. Це не так просто, але вона має час.'],
  ['el', 'Ο ερωδιός περιμένει στην όχθη και χτυπά όταν πλησιάζει ένα ψάρι.'],
  ['he', 'האנפה מחכה על שפת המים ומכה כאשר דג מתקרב.'],
  ['ar', 'ينتظر مالك الحزين على حافة الماء في الصباح من أن تأتي إلى هذا المكان التي فيها سمكة.'],
  ['hi', 'बगुला पानी के किनारे इंतज़ार करता है और मछली आने पर वार करता है।'],
  ['ja', '鷺は水辺で待ち、魚が近づくと素早く突く。とても辛抱強い鳥である。'],
  ['zh', '苍鹭在水边等待,鱼一靠近就迅速出击。它非常有耐心。'],
  ['ko', '왜가리는 물가에서 기다리다가 물고기가 가까이 오면 재빨리 낚아챈다.'],
  ['th', 'นกกระสารออยู่ริมน้ำและจู่โจมเมื่อปลาเข้ามาใกล้'],
])('%s is recognised', async (language, text) => {
  expect(await languageOf(text)).toBe(language);
});

test.each([
  ['a few words', 'Zebra 12'],
  ['names and numbers', 'name: Ann Berg; city: Oslo; id: 8231; name: Bo Lund; city: Bergen; id: 8232'],
  ['code', 'const x = foo(bar); return x.map((y) => y.z).filter(Boolean).join("-");'],
  ['two languages at once', 'the of and to is it with der die und den von zu ist'],
])('%s have no language', async (_what, text) => {
  expect(await languageOf(text)).toBeNull();
});
