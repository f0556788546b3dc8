internal import ArgumentParser
internal import CaptureModel
internal import RigDocuments

/// The options of a shot, except its id.
struct ShotOptions: ParsableArguments {
    @OptionGroup var cameras: CameraOptions

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "The instant: +250ms or -0.5s from receipt, or a date such as 2026-11-21T10:15:43.25Z.",
            discussion: "For an instant in the recent past, the nodes use the frames that they still hold.",
            valueName: "time"),
        transform: ShotOptions.time)
    var at: RequestedTime?

    @Option(
        help: ArgumentHelp(
            "How far in the future the instant is (default: as soon as possible).", valueName: "duration"),
        transform: ShotOptions.duration)
    var lead: Duration?

    @Flag(help: "Do not delay the instant by up to a frame to where the cameras' exposures are closest together.")
    var exact = false

    @Option(
        help: ArgumentHelp(
            "How far a picture may be from the instant, 1us to 60s.",
            discussion: "A picture that is farther is marked, and the exit status is 3; see --on-excess.",
            valueName: "duration"),
        transform: ShotOptions.duration)
    var maxSkew: Duration?

    @Option(
        help: ArgumentHelp(
            "How large the error bound of a picture's instant may be, 1us to 60s; like --max-skew.",
            valueName: "duration"),
        transform: ShotOptions.duration)
    var maxBound: Duration?

    @Option(
        help: ArgumentHelp(
            "What is done beyond --max-skew and --max-bound: mark: such pictures are marked, refuse: also nothing is exposed if it is known before the instant, retry: as refuse, and further shots are taken, two at most.",
            valueName: "mark|refuse|retry"),
        transform: ShotOptions.onExcess)
    var onExcess: ExcessPolicy?

    @Flag(help: "Take the shot whatever its timing, if the rig's configuration limits it.")
    var noTimingLimits = false

    @Option(
        help: ArgumentHelp(
            "How long to wait for outcomes after the instant (10s); the shot continues after that.",
            valueName: "duration"),
        transform: ShotOptions.duration)
    var timeout: Duration?

    @Flag(help: "Cancel all captures unless every selected camera is armed.")
    var requireAll = false

    @Option(
        help:
            "JPEG quality, 1 to 100, if the node encodes; the bytes of cameras that deliver JPEG are stored unchanged.")
    var quality: Int?

    @Option(
        help: ArgumentHelp(
            "Put a thumbnail into the stills' EXIF data: of the whole picture, or of its central square.",
            valueName: "whole|square"),
        transform: ShotOptions.thumbnail)
    var thumbnail: ThumbnailShape?

    @Flag(help: "Make a preview of every still at once; it is stored in the same folder.")
    var preview = false

    @Option(help: "Maximum length of the preview's longer side in pixels (320); implies --preview.")
    var previewSize: Int?

    @Option(
        help: ArgumentHelp(
            "Use the cameras' own lights: off: never, on: always, auto: if the newest frame is dark.",
            discussion: "on and auto refuse a camera without a light.",
            valueName: "off|on|auto"),
        transform: ShotOptions.flash)
    var flash: FlashMode?

    @Flag(help: "Not supported, and refused: the cameras' lights do not flash before a picture.")
    var redEyeReduction = false

    @Flag(help: "Not supported, and refused: the cameras do not measure distances.")
    var depth = false

    @Flag(help: "Not supported, and refused: the cameras deliver no mattes.")
    var portraitMatte = false

    @Flag(help: "Not supported, and refused: the cameras deliver no mattes.")
    var segmentationMattes = false

    @Flag(help: "Not supported, and refused: pictures are stored as the cameras deliver them.")
    var stabilization = false

    @Option(
        help: ArgumentHelp(
            "Take a picture with each of these exposures, the first at the instant: 2ms,8ms,32ms.",
            discussion: "@N after an exposure, or alone, sets the gain in the camera's own units: 8ms@10,@20.",
            valueName: "steps"),
        transform: ShotOptions.bracket)
    var bracket: [BracketStep]?

    @Option(
        help: ArgumentHelp(
            "Take stills larger than the streams' frames, up to this size; the streams are interrupted for it.",
            discussion:
                "A camera uses its largest size within this limit. `capctl devices show -o wide` lists its sizes.",
            valueName: "WxH"),
        transform: ShotOptions.dimensions)
    var maxDimensions: PixelSize?

    @Flag(
        inversion: .prefixedNo,
        help: ArgumentHelp(
            "Also take a clip of three seconds around the instant of each still, or take none.",
            discussion:
                "By default, cameras that support it take one. --live refuses a camera that does not. The clip is stored after the still."
        ))
    var live: Bool?

    @Option(
        help: ArgumentHelp(
            "Store clips as the cameras delivered them, or encode them on their nodes, which takes longer.",
            discussion: "If encoding fails, the clip is stored as it was recorded, and the outcome says why.",
            valueName: "mjpeg|h264"),
        transform: ShotOptions.clipCodec)
    var clipCodec: ClipCodec?

    @Flag(
        help: ArgumentHelp(
            "Also store still and clip as one file, in Google's Motion Photo format.",
            discussion: "The node encodes its clip, so this file is stored last."))
    var motionPhoto = false

    @Option(
        help: ArgumentHelp(
            "jpeg, or heic to also store each still in HEIC, encoded on its node, which takes longer.",
            discussion: "The JPEG is stored first, and remains if encoding fails.",
            valueName: "jpeg|heic"),
        transform: ShotOptions.codec)
    var codec: PhotoCodec?

    @Flag(
        help: ArgumentHelp(
            "Store the sensor's samples in a raw file, instead of the photo or beside it.",
            discussion:
                "This needs `raw: true`, and a camera with a Bayer mosaic, whose file is a DNG, or a DSLR, whose own raw file comes with --raw+jpeg. Other cameras take only the photo with --raw+jpeg, and nothing with --raw."
        ))
    var raw: RawOption?

    @Flag(help: "With --raw+jpeg: refuse a camera without RAW, instead of taking only its photo.")
    var rawRequired = false

    @Option(
        help: ArgumentHelp(
            "The picture in the raw file: its longer side in pixels (1024), or none.",
            discussion: "It is a JPEG with at most half of the samples' sides, for programs that do not develop them.",
            valueName: "pixels|none"),
        transform: ShotOptions.rawThumbnail)
    var rawThumbnail: RawThumbnailFormat?

    func validate() throws {
        let unavailable: [(isGiven: Bool, option: String, setting: UnavailablePhotoSetting)] = [
            (redEyeReduction, "--red-eye-reduction", .redEyeReduction), (depth, "--depth", .depth),
            (portraitMatte, "--portrait-matte", .portraitMatte),
            (segmentationMattes, "--segmentation-mattes", .segmentationMattes),
            (stabilization, "--stabilization", .stabilization),
        ]
        if let refused = unavailable.first(where: \.isGiven) {
            throw ValidationError("\(refused.option) is not supported: \(refused.setting.reason). Omit it.")
        }
        if rawRequired, raw == nil {
            throw ValidationError("--raw-required needs --raw+jpeg.")
        }
        if at != nil, lead != nil {
            throw ValidationError(
                "--at gives the instant and --lead lets the coordinator choose it; give only one of them.")
        }
        if onExcess != nil, maxSkew == nil, maxBound == nil {
            throw ValidationError("--on-excess needs --max-skew or --max-bound, which it is about.")
        }
        if onExcess == .retry, case .absolute? = at {
            throw ValidationError("--on-excess retry takes shots at several instants, and --at names one.")
        }
        if noTimingLimits, maxSkew != nil || maxBound != nil {
            throw ValidationError("--no-timing-limits excludes --max-skew and --max-bound.")
        }
        if let timeout, timeout > .seconds(86_400) {
            throw ValidationError("--timeout must be at most a day.")
        }
        try request.validateOptions()
    }

    /// The request in the types of the model.
    var request: ShotRequest {
        ShotRequest(
            selection: cameras.selection, settings: settings,
            time: at ?? .soon(lead: (lead ?? preparation)?.nanoseconds, exact: exact ? true : nil),
            requireAll: requireAll, limits: limits)
    }

    private var limits: TimingLimits? {
        if noTimingLimits { return TimingLimits() }
        guard maxSkew != nil || maxBound != nil else { return nil }
        return TimingLimits(maxSkew: maxSkew, maxBound: maxBound, onExcess: onExcess?.ofEachShot ?? .mark)
    }

    private var settings: PhotoSettings {
        PhotoSettings(
            quality: quality, embedThumbnail: thumbnail,
            previewSize: previewSize ?? (preview ? PhotoSettings.defaultPreviewSize : nil), flash: flash,
            bracket: bracket, maxPhotoDimensions: maxDimensions, livePhoto: livePhoto,
            clipCodec: clipCodec, motionPhoto: motionPhoto ? true : nil, raw: raw?.photo(isRequired: rawRequired),
            rawThumbnail: rawThumbnail, codec: codec)
    }

    private var livePhoto: LivePhotoRequest? {
        switch live {
        case nil: .usual
        case true?: .required
        case false?: nil
        }
    }

    /// The default lead if cameras must be set first: long enough for cameras of 10 frames per second. A node that
    /// needs more refuses, and reports how much it needs. For larger stills the coordinator knows what each camera
    /// needs, but not the additional time to set it.
    private var preparation: Duration? {
        guard settings.needsPreparation else { return nil }
        return maxDimensions == nil ? .milliseconds(500) : .seconds(4)
    }

    private static func onExcess(_ text: String) throws -> ExcessPolicy {
        guard let choice = ExcessPolicy(rawValue: text) else {
            throw ValidationError("one of mark, refuse, retry")
        }
        return choice
    }

    private static func dimensions(_ text: String) throws -> PixelSize {
        guard let size = PixelSize(text) else { throw ValidationError("write a size as 2560x1440") }
        return size
    }

    private static func rawThumbnail(_ text: String) throws -> RawThumbnailFormat {
        if text == RawThumbnailFormat.Codec.none.rawValue { return RawThumbnailFormat(codec: .none) }
        guard let side = Int(text), RawThumbnailFormat.longerSides.contains(side) else {
            throw ValidationError("write 16 to 4096 pixels, or none")
        }
        return RawThumbnailFormat(longerSide: side)
    }

    private static func clipCodec(_ text: String) throws -> ClipCodec {
        guard let codec = ClipCodec(rawValue: text) else { throw ValidationError("one of mjpeg, h264") }
        return codec
    }

    private static func codec(_ text: String) throws -> PhotoCodec {
        guard let codec = PhotoCodec(rawValue: text) else { throw ValidationError("one of jpeg, heic") }
        return codec
    }

    private static func flash(_ text: String) throws -> FlashMode {
        guard let mode = FlashMode(rawValue: text) else { throw ValidationError("one of off, on, auto") }
        return mode
    }

    private static func bracket(_ text: String) throws -> [BracketStep] {
        let steps = text.split(separator: ",", omittingEmptySubsequences: false).map { BracketStep(commandLine: $0) }
        guard let whole = steps as? [BracketStep], (1...PhotoSettings.longestBracket).contains(whole.count) else {
            throw ValidationError(
                "write 1 to \(PhotoSettings.longestBracket) steps such as 2ms,8ms,32ms or 8ms@10,@20 (exposure 1us to 10s, @gain)"
            )
        }
        return whole
    }

    private static func thumbnail(_ text: String) throws -> ThumbnailShape {
        guard let shape = ThumbnailShape(rawValue: text) else { throw ValidationError("one of whole, square") }
        return shape
    }

    static func time(_ text: String) throws -> RequestedTime {
        guard let time = RequestedTime(commandLine: text) else {
            throw ValidationError(
                "write an instant as +250ms, -0.5s (units ns, us, ms, s, min) or 2026-11-21T10:15:43.25Z")
        }
        return time
    }

    private static func duration(_ text: String) throws -> Duration {
        guard let duration = Duration(commandLine: text), duration >= .zero else {
            throw ValidationError("write a duration with its unit (ns, us, ms, s, min), such as 250ms or 1.5s")
        }
        return duration
    }
}
