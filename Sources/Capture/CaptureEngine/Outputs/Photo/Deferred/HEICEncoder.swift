public import CaptureModel
import ImageMetadata
public import Movies
public import PosixSupport

/// Makes HEIC files of stills, with the program `heif-enc` of libheif.
///
/// It is a separate program, like `ffmpeg`: its encoder, x265, is under the GPL, and its crashes do not affect the
/// agent.
public struct HEICEncoder: StillEncoding {
    private let program: ExternalProgram
    private let limit: Duration

    /// The program's file name.
    public static let programName = "heif-enc"
    /// The longest file that is read for it or from it.
    private static let byteLimit = 256 << 20

    /// - Parameters:
    ///   - program: `heif-enc`, with an encoder of HEVC.
    ///   - limit: How long encoding one still may take.
    public init(program: ExternalProgram, limit: Duration = .seconds(120)) {
        self.program = program
        self.limit = limit
    }

    public func encodeHEIC(
        _ source: String, in sources: Folder, through scratch: String, to folder: Folder, as name: String
    ) async throws(RigProblem) {
        do {
            let jpeg = try sources.read(source, limit: Self.byteLimit)
            let arguments = Self.arguments + ["-o", ExternalProgram.outputPath, sources.path(of: source)]
            try await program.run(arguments, writing: sources.create(scratch), limit: limit)
            let encoded = try sources.read(scratch, limit: Self.byteLimit)
            try folder.publish(
                [try HEIFTransform.turned(encoded, as: EXIFReader.orientation(in: jpeg) ?? .up)], as: name)
        } catch {
            throw Self.problem(error, source)
        }
    }

    /// The smallest output for its time, at a quality that is hard to tell from the JPEG. Colors as in JPEG: primaries
    /// of BT.709, curve of sRGB, matrix of BT.601, full range.
    private static let arguments = [
        "-q", "60", "-p", "preset=ultrafast", "--colour_primaries", "1", "--transfer_characteristic", "13",
        "--matrix_coefficients", "6", "--full_range_flag", "1",
    ]

    private static func problem(_ error: any Error, _ source: String) -> RigProblem {
        switch error {
        case let error as PosixError:
            RigProblem(error.isOutOfSpace ? .noSpace : .inputOutput, error.description)
        case let error as ExternalProgramError where error.code == .cancelled:
            RigProblem(.cancelled, error.description)
        // `heif-enc` ends with status 0 even if the disk has refused its output.
        case let error as HEIFProblem:
            RigProblem(
                .encoderFailed,
                "\(source) was not encoded: \(programName) wrote no complete file although it reported success; check whether the disk is full: \(error)"
            )
        default: RigProblem(.encoderFailed, "\(source) was not encoded: \(error)")
        }
    }
}

extension MovieEncoder: ClipEncoding {}

/// Whether the still is available in another coding than JPEG.
extension PendingCaptures {
    /// - Parameter size: The size of the still.
    /// - Returns: nil if only JPEG is requested.
    /// - Throws: `unsupportedSettings`, naming the obstacle.
    func deferredCodec(_ settings: PhotoSettings, of size: PixelSize) throws(RigProblem) -> PhotoCodec? {
        guard settings.codec == .heic else { return nil }
        let encoder = session.services.deferred.map(\.stillObstacle) ?? "this session has no encoder for it"
        guard let obstacle = Self.obstacleToHEIC(settings, of: size) ?? encoder else { return .heic }
        throw RigProblem(.unsupportedSettings, "\(device.id): HEIC is not supported: \(obstacle)")
    }

    /// Returns why no still with these settings and this size is possible in HEIC, with any encoder.
    static func obstacleToHEIC(_ settings: PhotoSettings, of size: PixelSize) -> String? {
        if settings.raw == .only { return "it is encoded from the photo, and `--raw` alone takes none" }
        if settings.bracket != nil { return "it encodes one picture, and a bracket has several" }
        guard size.width % 2 == 0, size.height % 2 == 0 else {
            return "its colors have half the pixels of each side, and \(size) has an odd one"
        }
        return nil
    }
}
