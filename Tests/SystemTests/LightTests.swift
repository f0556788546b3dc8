import CaptureModel
import Foundation
import Testing
import TurboJPEG

extension System {
    @Suite(.timeLimit(.minutes(1))) struct LightTests {
        @Test("A flash or a bracket that was asked for is not in the pictures of every camera of the rig")
        func flashAndBracket() async throws {
            let rig = try await TestRig.started(NodePlan.nodes(2, cameras: 1))
            let plain = try await rig.trigger("--all", "--flash", "off", expecting: 0)
            let lit = try await rig.trigger("--all", "--flash", "on", "--lead", "2s", expecting: 0)
            for (dark, bright) in zip(plain.storedPaths, lit.storedPaths) {
                #expect(try Self.luma(of: dark) + 8 < Self.luma(of: bright))
            }
            #expect(plain.shot.captures.map(\.resolved?.isFlashUsed) == [false, false])
            #expect(lit.shot.captures.map(\.resolved?.isFlashUsed) == [true, true])

            let bracket = try await rig.trigger("--all", "--bracket", "2ms,8ms,32ms", "--lead", "2s", expecting: 0)
            try await rig.expectSound(bracket)
            for capture in bracket.shot.captures {
                let files = capture.files.compactMap(\.path)
                #expect(files.count == 3 && capture.resolved?.bracketCount == 3)
                let lumas = try files.map { try Self.luma(of: bracket.folder + "/" + $0) }
                #expect(lumas == lumas.sorted() && lumas[0] + 20 < lumas[2], "\(lumas)")
            }

            let soon = try await rig.trigger("--all", "--flash", "on", "--lead", "50ms", expecting: 4)
            #expect(soon.files.allSatisfy { $0.problem?.code == .tooSoon })
            let impossible = try await rig.trigger("--all", "--bracket", "@1000", expecting: 4)
            #expect(impossible.files.allSatisfy { $0.problem?.code == .unsupportedSettings })
            let after = try await rig.trigger("--all", expecting: 0)
            #expect(try abs(Self.luma(of: after.storedPaths[0]) - Self.luma(of: plain.storedPaths[0])) < 10)
            try await rig.end()
        }

        private static func luma(of file: String) throws -> Int {
            let bytes = [UInt8](try Data(contentsOf: URL(filePath: file)))
            var image = LumaImage()
            try JPEGDecoder().decodeLuma(bytes.span, scale: .eighth, into: &image)
            return image.bytes.reduce(0) { $0 + Int($1) } / max(image.bytes.count, 1)
        }
    }
}
