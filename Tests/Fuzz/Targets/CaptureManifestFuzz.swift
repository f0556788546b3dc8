import CaptureModel
import RigWire

@testable import Spool

/// The `capture.json` of a spool, and the names of its files.
enum CaptureManifestFuzz {
    static func run(_ bytes: [UInt8]) throws {
        if let key = SpoolNames.key(of: String(decoding: bytes.prefix(300), as: UTF8.self)) {
            let stem = String(decoding: bytes.prefix(SpoolNames.stem(key).utf8.count), as: UTF8.self)
            try FuzzFinding.unless(stem == SpoolNames.stem(key), "a file is taken for one of another capture")
        }
        guard case .whole(let report) = CaptureManifest.read(bytes) else { return }
        guard case .whole(let again) = CaptureManifest.read(try CaptureManifest(capture: report).encoded()) else {
            throw FuzzFinding(description: "a manifest that was written cannot be read: \(report)")
        }
        try FuzzFinding.unless(again == report, "a manifest that was written says something else")
        _ = report.wire
        let names = report.files.map { SpoolNames.file(report.key, $0.kind) } + [SpoolNames.manifest(report.key)]
        try FuzzFinding.unless(names.allSatisfy { !$0.contains("/") }, "a file leads out of the spool: \(names)")
    }
}
