/// This machine has no `ffmpeg`.
struct MovieEncoderMissing: Error {}
