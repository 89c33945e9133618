import type { Language } from '../../../platform/text/language.ts';

/** Why somebody with a link cannot watch. */
export type WatchRefusal = 'forged' | 'expired' | 'gone' | 'closed' | 'unavailable';

interface WatchText {
  readonly title: string;
  readonly sentence: string;
}

export function watchText(language: Language, refusal: WatchRefusal): WatchText {
  const [title, sentence] = texts[language][refusal];
  return { title, sentence };
}

const texts: Readonly<Record<Language, Readonly<Record<WatchRefusal, readonly [string, string]>>>> = {
  en: {
    forged: ['This link is not valid', 'Perhaps a part of it got lost. Ask for it again where you got it.'],
    expired: [
      'This link has expired',
      'Links to recordings work for a while only. Go back to where you found it, and open the recording anew.',
    ],
    gone: ['This recording is not available', 'It was deleted or withdrawn. Ask the person who sent you the link.'],
    closed: [
      'This recording cannot be watched now',
      'The room is not available at the moment. Ask the person who sent you the link.',
    ],
    unavailable: ['The recording cannot be reached', 'Please try again in a few minutes.'],
  },
  pt: {
    forged: ['Esta ligação não é válida', 'Talvez falte uma parte. Peça-a novamente a quem a enviou.'],
    expired: [
      'Esta ligação expirou',
      'As ligações para gravações só funcionam durante algum tempo. Volte ao sítio onde a encontrou e abra novamente a gravação.',
    ],
    gone: ['Esta gravação não está disponível', 'Foi eliminada ou retirada. Fale com quem enviou a ligação.'],
    closed: [
      'Esta gravação não pode ser vista agora',
      'A sala está fora de serviço de momento. Fale com quem enviou a ligação.',
    ],
    unavailable: ['Não é possível aceder à gravação', 'Tente novamente daqui a alguns minutos.'],
  },
  'pt-BR': {
    forged: ['Este link não é válido', 'Talvez falte uma parte. Peça-o de novo a quem o enviou.'],
    expired: [
      'Este link expirou',
      'Os links para gravações funcionam só por algum tempo. Volte para onde você o encontrou e abra a gravação de novo.',
    ],
    gone: ['Esta gravação não está disponível', 'Ela foi excluída ou retirada. Fale com quem enviou o link.'],
    closed: [
      'Não é possível assistir a esta gravação agora',
      'A sala está fora de uso no momento. Fale com quem enviou o link.',
    ],
    unavailable: ['Não é possível acessar a gravação', 'Tente de novo daqui a alguns minutos.'],
  },
  de: {
    forged: [
      'Dieser Link ist ungültig',
      'Vielleicht fehlt ein Teil davon. Holen Sie ihn dort noch einmal, wo Sie ihn bekommen haben.',
    ],
    expired: [
      'Dieser Link ist abgelaufen',
      'Links zu Aufzeichnungen gelten nur eine gewisse Zeit. Gehen Sie dorthin zurück, wo Sie ihn gefunden haben, und öffnen Sie die Aufzeichnung neu.',
    ],
    gone: [
      'Diese Aufzeichnung gibt es hier nicht mehr',
      'Sie wurde gelöscht oder zurückgezogen. Wenden Sie sich an die Person, die Ihnen den Link gegeben hat.',
    ],
    closed: [
      'Diese Aufzeichnung lässt sich gerade nicht ansehen',
      'Der Raum ist derzeit nicht in Betrieb. Wenden Sie sich an die Person, die Ihnen den Link gegeben hat.',
    ],
    unavailable: ['Die Aufzeichnung ist nicht erreichbar', 'Bitte versuchen Sie es in ein paar Minuten noch einmal.'],
  },
  es: {
    forged: ['Este enlace no es válido', 'Quizá falte una parte. Vuelva a pedirlo donde lo obtuvo.'],
    expired: [
      'Este enlace ha caducado',
      'Los enlaces a grabaciones solo funcionan durante un tiempo. Vuelva al lugar donde lo encontró y abra la grabación de nuevo.',
    ],
    gone: ['Esta grabación no está disponible', 'Se ha eliminado o retirado. Consulte a quien le envió el enlace.'],
    closed: [
      'Esta grabación no se puede ver ahora',
      'La sala está fuera de servicio en este momento. Consulte a quien le envió el enlace.',
    ],
    unavailable: ['No se puede acceder a la grabación', 'Inténtelo de nuevo dentro de unos minutos.'],
  },
  fr: {
    forged: ['Ce lien n’est pas valable', 'Il en manque peut-être une partie. Redemandez-le là où vous l’avez eu.'],
    expired: [
      'Ce lien a expiré',
      'Les liens vers les enregistrements ne fonctionnent qu’un certain temps. Retournez là où vous l’avez trouvé et rouvrez l’enregistrement.',
    ],
    gone: [
      'Cet enregistrement n’est pas disponible',
      'Il a été supprimé ou retiré. Adressez-vous à la personne qui vous a envoyé ce lien.',
    ],
    closed: [
      'Cet enregistrement ne peut pas être regardé maintenant',
      'La salle est hors service pour le moment. Adressez-vous à la personne qui vous a envoyé ce lien.',
    ],
    unavailable: ['L’enregistrement est inaccessible', 'Réessayez dans quelques minutes.'],
  },
};
