/** The sound that is sent: of the microphone and of a shared screen, mixed into one track that never ends. */
export interface Sound {
  readonly track: MediaStreamTrack;
  /** Replaces the sources. */
  connect(sources: readonly MediaStreamTrack[]): void;
  setMuted(isMuted: boolean): void;
  /** The volume of the sent sound, from 0 to 100. */
  level(): number;
  /** Must be called on a click, because browsers only start audio then. */
  resume(): void;
}

const minDecibels = -60;

export function createSound(): Sound {
  const context = new AudioContext({ sampleRate: 48_000 });
  const gain = context.createGain();
  const analyser = context.createAnalyser();
  const destination = context.createMediaStreamDestination();
  gain.connect(analyser).connect(destination);
  const samples = new Float32Array(analyser.fftSize);
  let nodes: MediaStreamAudioSourceNode[] = [];
  const [track] = destination.stream.getAudioTracks();
  if (!track) throw new Error('The browser cannot create an audio track.');
  return {
    track,
    connect(sources) {
      for (const node of nodes) node.disconnect();
      nodes = sources.map((source) => context.createMediaStreamSource(new MediaStream([source])));
      for (const node of nodes) node.connect(gain);
    },
    setMuted: (isMuted) => {
      gain.gain.value = isMuted ? 0 : 1;
    },
    level() {
      analyser.getFloatTimeDomainData(samples);
      const power = samples.reduce((sum, sample) => sum + sample * sample, 0) / samples.length;
      const decibels = 10 * Math.log10(power + 1e-12);
      return Math.round(Math.min(Math.max(1 - decibels / minDecibels, 0), 1) * 100);
    },
    resume: () => void context.resume(),
  };
}
