internal import ArgumentParser
internal import CaptureModel

/// What a shot is to be, apart from its id.
struct ShotOptions: ParsableArguments {
    @OptionGroup(title: "Which cameras") var cameras: SelectionOptions

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "The instant: +250ms or -0.5s from receipt, or a date such as 2026-11-21T10:15:43.25Z.",
            discussion: "An instant in the recent past is taken from the frames the nodes still hold.",
            valueName: "time"),
        transform: ShotOptions.time)
    var at: RequestedTime?

    @Option(
        help: ArgumentHelp("How far ahead the instant lies, instead of as soon as possible.", valueName: "duration"),
        transform: ShotOptions.duration)
    var lead: Duration?

    @Option(
        help: ArgumentHelp(
            "How long to wait for outcomes after the instant (10s); the shot itself goes on.", valueName: "duration"),
        transform: ShotOptions.duration)
    var timeout: Duration?

    @Flag(help: "Cancel all unless every selected camera is armed.")
    var requireAll = false

    @Option(help: "JPEG quality, 1 to 100, where the node encodes; cameras that deliver JPEG keep their own bytes.")
    var quality: Int?

    @Option(
        help: ArgumentHelp(
            "Put a thumbnail into the stills' EXIF data: of the whole picture, or of its middle square.",
            valueName: "whole|square"),
        transform: ShotOptions.thumbnail)
    var thumbnail: ThumbnailShape?

    @Flag(help: "Make a preview of every still at once; it is stored beside the still.")
    var preview = false

    @Option(help: "Longer side of the preview in pixels, at most (320); implies --preview.")
    var previewSize: Int?

    @Option(
        help: ArgumentHelp(
            "Light the scene with the cameras' own lights: off never, on always, auto where the newest frame is dark.",
            discussion: "A camera without a light is refused with on and auto.",
            valueName: "off|on|auto"),
        transform: ShotOptions.flash)
    var flash: FlashMode?

    @Option(
        help: ArgumentHelp(
            "Take a picture with each of these exposures, the first at the instant: 2ms,8ms,32ms.",
            discussion: "@N after an exposure, or alone, sets the gain, in the camera's own units: 8ms@10,@20.",
            valueName: "steps"),
        transform: ShotOptions.bracket)
    var bracket: [BracketStep]?

    @Option(
        help: ArgumentHelp(
            "Take stills larger than the streams' frames, of this size at most; the streams are interrupted for it.",
            discussion:
                "A camera takes the largest size it offers within this. `capctl devices show` tells what it has.",
            valueName: "WxH"),
        transform: ShotOptions.dimensions)
    var maxDimensions: PixelSize?

    @Flag(
        inversion: .prefixedNo,
        help: ArgumentHelp(
            "Take a clip of three seconds around the instant beside every still, or none.",
            discussion:
                "Without either, cameras that can take one do; with --live, a camera that cannot is refused. The clip comes after the still."
        ))
    var live: Bool?

    @Option(
        help: ArgumentHelp(
            "Store clips as the cameras gave them, or encode them on their nodes, which takes a while.",
            discussion: "Where encoding fails, the clip is stored as it was, and the outcome says why.",
            valueName: "mjpeg|h264"),
        transform: ShotOptions.clipCodec)
    var clipCodec: ClipCodec?

    @Flag(
        help: ArgumentHelp(
            "Store still and clip as one file too, as Google's Motion Photo.",
            discussion: "The clip in it is encoded on the node, so it comes last."))
    var motionPhoto = false

    @Option(
        help: ArgumentHelp(
            "Store stills in HEIC too, encoded on their nodes, which takes a while.",
            discussion: "The JPEG stays: it comes first, and is what remains where encoding fails.",
            valueName: "jpeg|heic"),
        transform: ShotOptions.codec)
    var codec: PhotoCodec?

    @Flag(
        help: ArgumentHelp(
            "Store the sensor's own samples as DNG: instead of the photo, or with the photo developed of them.",
            discussion:
                "Of cameras that deliver a Bayer mosaic and are configured with `raw: true`. Of others --raw+jpeg takes the photo alone, and --raw none."
        ))
    var raw: RawOption?

    @Flag(help: "With --raw+jpeg: refuse a camera that has no RAW, instead of taking its photo alone.")
    var rawRequired = false

    func validate() throws {
        if rawRequired, raw == nil {
            throw ValidationError("--raw-required is about --raw+jpeg; give it too.")
        }
        if raw != nil, bracket != nil {
            throw ValidationError("--raw and --raw+jpeg are of one picture; leave out --bracket.")
        }
        if live == false, motionPhoto || clipCodec != nil {
            throw ValidationError("--no-live takes no clips; leave out --clip-codec and --motion-photo.")
        }
        if motionPhoto, raw == .raw {
            throw ValidationError("--motion-photo is made of a photo, and --raw makes none; give --raw+jpeg.")
        }
        if codec == .heic, raw == .raw {
            throw ValidationError("--codec heic is made of a photo, and --raw makes none; give --raw+jpeg.")
        }
        if codec == .heic, bracket != nil {
            throw ValidationError("--codec heic is of one picture; leave out --bracket.")
        }
        if at != nil, lead != nil {
            throw ValidationError("--at names the instant and --lead lets it be chosen; give one of them.")
        }
        if let timeout, timeout > .seconds(86_400) {
            throw ValidationError("--timeout is at most a day.")
        }
        if let previewSize, !PhotoSettings.previewSizes.contains(previewSize) {
            throw ValidationError("--preview-size is 16 to 4096.")
        }
        if let quality, !(1...100).contains(quality) {
            throw ValidationError("--quality is 1 to 100.")
        }
    }

    /// The request in the model's words.
    var request: ShotRequest {
        ShotRequest(
            selection: cameras.selection, settings: settings,
            time: at ?? .soon(lead: (lead ?? preparation)?.nanoseconds), requireAll: requireAll)
    }

    private var settings: PhotoSettings {
        PhotoSettings(
            quality: quality, embedThumbnail: thumbnail,
            previewSize: previewSize ?? (preview ? PhotoSettings.defaultPreviewSize : nil), flash: flash,
            bracket: bracket, maxPhotoDimensions: maxDimensions, livePhoto: livePhoto,
            clipCodec: clipCodec, motionPhoto: motionPhoto ? true : nil, raw: raw?.photo(isRequired: rawRequired),
            codec: codec)
    }

    private var livePhoto: LivePhotoRequest? {
        switch live {
        case nil: .whereEnabled
        case true?: .required
        case false?: nil
        }
    }

    /// How far ahead the instant lies unless somebody says so, where cameras must be set first: long enough for cameras of
    /// 10 frames a second. A node that needs more refuses, and says how much.
    /// Of larger stills the coordinator knows what each camera needs; what setting it takes beside, nobody tells.
    private var preparation: Duration? {
        guard settings.needsPreparation else { return nil }
        return maxDimensions == nil ? .milliseconds(500) : .seconds(4)
    }

    private static func dimensions(_ text: String) throws -> PixelSize {
        guard let size = PixelSize(text) else { throw ValidationError("write a size as 2560x1440") }
        return size
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

    private static func time(_ text: String) throws -> RequestedTime {
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
