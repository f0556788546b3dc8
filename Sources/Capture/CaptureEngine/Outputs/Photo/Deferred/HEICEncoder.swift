public import CaptureModel
import ImageMetadata
public import Movies
public import PosixSupport

/// Makes HEIC files of stills, by the program `heif-enc` of libheif.
///
/// A program of its own, as `ffmpeg` is: the encoder in it, x265, is under the GPL, and its crashes are not the agent's.
public struct HEICEncoder: StillEncoding {
    private let program: ExternalProgram
    private let limit: Duration

    /// The program's file name.
    public static let programName = "heif-enc"
    /// The longest file that is taken from it.
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
    ) async throws(CaptureProblem) {
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

    /// What is smallest for its time, at a quality that is hard to tell from the JPEG; colours as JPEG has them: primaries of
    /// BT.709, curve of sRGB, matrix of BT.601, full range.
    private static let arguments = [
        "-q", "60", "-p", "preset=ultrafast", "--colour_primaries", "1", "--transfer_characteristic", "13",
        "--matrix_coefficients", "6", "--full_range_flag", "1",
    ]

    private static func problem(_ error: any Error, _ source: String) -> CaptureProblem {
        switch error {
        case let error as PosixError:
            CaptureProblem(error.isOutOfSpace ? .noSpace : .inputOutput, error.description)
        case let error as ExternalProgramError where error.code == .cancelled:
            CaptureProblem(.cancelled, error.description)
        // `heif-enc` ends with status 0 also where the disk has refused what it wrote.
        case let error as HEIFProblem:
            CaptureProblem(
                .encoderFailed,
                "\(source) was not encoded: \(programName) wrote no whole file, though it ended as if it had; see whether the disk is full: \(error)"
            )
        default: CaptureProblem(.encoderFailed, "\(source) was not encoded: \(error)")
        }
    }
}
