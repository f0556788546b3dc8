import CaptureModel

extension FileCameraConfiguration {
    /// The limits are those of the file camera itself, told here with their line. Whether the recording is there is not
    /// looked at.
    init?(_ mapping: YAMLMapping) {
        let path = mapping.required("path")?.scalar(.absolutePath)
        self.init(path: path ?? "")
        framesPerSecond = mapping.read(
            "framesPerSecond", .number(FileCameraLimits.framesPerSecond), default: framesPerSecond)
        loop = mapping.read("loop", .flag, default: loop)
        phaseMilliseconds = mapping.read(
            "phaseMilliseconds", .number(FileCameraLimits.phaseMilliseconds), default: phaseMilliseconds)
        mapping.finish()
        guard path != nil else { return nil }
    }
}
