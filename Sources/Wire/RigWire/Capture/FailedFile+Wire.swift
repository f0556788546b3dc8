import CaptureModel
import RigProtocol

extension FailedFile {
    init(wire: WireFailedFile) throws(WireError) {
        let reader = FieldReader("FailedFile")
        self.init(
            kind: try reader.word(wire.kind, "kind", as: AssetKind.self),
            problem: CaptureProblem(wire: try reader.present(wire.hasProblem ? wire.problem : nil, "problem")))
    }

    var wire: WireFailedFile {
        var wire = WireFailedFile()
        wire.kind = kind.rawValue
        wire.problem = problem.wire
        // Many captures stand in one inventory.
        wire.problem.message = problem.message.sentence(limit: WireLimits.reasonByteCount)
        return wire
    }
}
