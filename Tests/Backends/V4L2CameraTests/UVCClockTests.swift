import CaptureModel
import Testing

@testable import V4L2Camera

@Suite("A USB camera's clock places its frames, or is not used") struct UVCClockTests {
    // MARK: Clocks that are right

    @Test(
        "Frames are placed within their doubt by clocks of each width, over their wraps",
        arguments: [
            // Frequency, bits, ticks at the start.
            (48_000_000, 32, 0), (48_000_000, 32, (1 << 32) - 150_000_000), (48_004_800, 32, 12_345),
            (1_000_000, 32, (1 << 32) - 3_000_000), (1_000_000, 16, 0), (900_000, 16, 65_000), (90_000, 32, 0),
        ] as [(Double, Int, UInt64)])
    func placed(frequency: Double, bits: Int, firstTicks: UInt64) {
        var camera = SimulatedUVCCamera()
        (camera.frequency, camera.bits, camera.firstTicks) = (frequency, bits, firstTicks)
        var run = UVCClockRun(camera)
        run.run(&camera, 0..<400)
        #expect(run.clock.state == .placed)
        // Two seconds for the line, and 32 frames for the proof.
        #expect((300..<310).contains(run.placed))
        #expect(run.wrong == [], "off by up to \(run.farthest)")
        #expect(run.mostDoubt < .milliseconds(1.2))
    }

    @Test(
        "Without change of the place in a USB frame, the doubt covers what rounding hides",
        arguments: [Int64(20_000), 250_000, 500_000, 750_000, 980_000])
    func samePlace(phase: Int64) {
        var camera = SimulatedUVCCamera()
        (camera.interval, camera.phase) = (40_000_000, phase)
        var run = UVCClockRun(camera)
        run.run(&camera, 0..<300)
        #expect(run.placed > 200 && run.wrong == [], "off by up to \(run.farthest)")
    }

    @Test("A host controller may keep 8 bits of the number, and pictures may come late") func narrowHost() {
        var camera = SimulatedUVCCamera()
        (camera.hostBits, camera.latency, camera.transport) = (0xff, 180_000_000, 2_000_000...9_000_000)
        var run = UVCClockRun(camera)
        run.run(&camera, 0..<300)
        #expect(run.placed > 200 && run.wrong == [], "off by up to \(run.farthest)")
    }

    @Test("The jitter of the transfer is not in the instants") func jitter() {
        var camera = SimulatedUVCCamera()
        camera.transport = 100_000...7_500_000
        var run = UVCClockRun(camera)
        run.run(&camera, 0..<400)
        #expect(run.placed > 300 && run.wrong == [] && run.farthest < .milliseconds(1))
    }

    // MARK: What gets lost or goes wrong for once

    @Test("Frames without metadata are not placed, and the others are") func gaps() {
        var camera = SimulatedUVCCamera()
        var run = UVCClockRun(camera)
        run.run(&camera, 0..<400) { headers, number in
            if number % 3 == 0 { headers = [] }
        }
        #expect(run.clock.state == .placed && run.wrong == [])
        #expect(run.placed > 100)
    }

    @Test("After seconds without metadata the line is found again, as often as it happens") func longGap() {
        var camera = SimulatedUVCCamera()
        var run = UVCClockRun(camera)
        for round in 0..<5 {
            let start = round * 300
            run.run(&camera, start..<start + 200)
            #expect(run.clock.state == .placed)
            run.run(&camera, start + 200..<start + 300) { headers, _ in headers = [] }
            #expect(run.clock.state == .settling)
        }
        #expect(run.wrong == [])
    }

    @Test("A single wrong number costs its frame", arguments: [0, 1, 2, 3])
    func singleErrors(kind: Int) {
        var camera = SimulatedUVCCamera()
        var run = UVCClockRun(camera)
        run.run(&camera, 0..<150)
        #expect(run.clock.state == .placed)
        let before = run.placed
        run.run(&camera, 150..<350) { headers, number in
            guard number % 20 == 0 else { return }
            for place in headers.indices {
                switch kind {
                case 0: headers[place].captureTicks? &-= 48_000_000 / 20
                case 1: headers[place].reading?.ticks &+= 48_000_000
                case 2: headers[place].reading?.usbFrame = 0
                default: headers[place].captureTicks = UInt32(place)
                }
            }
        }
        #expect(run.clock.state == .placed && run.wrong == [])
        // A number of USB frames may be right by chance.
        #expect(run.placed - before == 190 || kind == 2 && (190...200).contains(run.placed - before))
    }

    @Test("A clock that steps is found again, and no frame is misplaced", arguments: [Int64(5), 100, -300, 700_000])
    func steps(milliseconds: Int64) {
        var camera = SimulatedUVCCamera()
        camera.firstTicks = 1 << 40
        var run = UVCClockRun(camera)
        run.run(&camera, 0..<200)
        let before = run.placed
        #expect(run.clock.state == .placed)
        let step = UInt32(truncatingIfNeeded: milliseconds * 48_000)
        run.run(&camera, 200..<500) { headers, _ in
            for place in headers.indices {
                headers[place].captureTicks? &+= step
                headers[place].reading?.ticks &+= step
            }
        }
        #expect(run.clock.state == .placed && run.wrong == [])
        #expect(run.placed - before > 150)
    }

    @Test("A clock that steps again and again is refused") func manySteps() {
        var camera = SimulatedUVCCamera()
        var run = UVCClockRun(camera)
        run.run(&camera, 0..<800) { headers, number in
            for place in headers.indices {
                let step = UInt32(number / 150) &* 4_800_000
                headers[place].captureTicks? &+= step
                headers[place].reading?.ticks &+= step
            }
        }
        #expect(run.clock.state == .refused(.contradictions) && run.wrong == [])
    }

    @Test("The time of the frames may move against their arrival, and is proved again") func latencyChange() {
        var camera = SimulatedUVCCamera()
        var run = UVCClockRun(camera)
        run.run(&camera, 0..<200)
        camera.latency = 60_000_000
        run.run(&camera, 200..<300)
        #expect(run.clock.state == .placed && run.wrong == [])
    }

    // MARK: Clocks that lie

    @Test("Cameras that send no clock, zeros or another one are refused with the reason", arguments: Lie.allCases)
    func lies(lie: Lie) {
        var camera = SimulatedUVCCamera()
        var run = UVCClockRun(camera)
        run.run(&camera, 0..<700) { headers, number in
            for place in headers.indices { lie.change(&headers[place], number) }
            if lie == .noMetadata { headers = [] }
        }
        #expect(run.clock.state == .refused(lie.refusal))
        #expect(run.placed == 0)
    }

    enum Lie: CaseIterable {
        case noMetadata, noReadings, zeros, hostStands, numbersStand, ownNumbers, ticksStand, randomTicks
        case noTimes, timesStand, randomTimes, zeroTimes

        var refusal: UVCClock.Refusal {
            switch self {
            case .noMetadata, .noReadings: .noReadings
            case .hostStands: .hostFrames
            case .zeros, .numbersStand, .ownNumbers: .cameraFrames
            case .ticksStand, .randomTicks: .contradictions
            case .noTimes, .timesStand, .randomTimes, .zeroTimes: .captureTimes
            }
        }

        func change(_ header: inout UVCPayloadHeader, _ number: Int) {
            let chance = Self.withoutOrder(UInt32(number))
            switch self {
            case .noMetadata: break
            case .noReadings: header.reading = nil
            case .zeros: (header.captureTicks, header.reading) = (0, .init(ticks: 0, usbFrame: 0))
            case .hostStands: header.usbFrame = 0
            case .numbersStand: header.reading?.usbFrame = 77
            case .ownNumbers: header.reading?.usbFrame &+= 1900
            case .ticksStand: header.reading?.ticks = 123_456_789
            case .randomTicks: header.reading?.ticks = chance
            case .noTimes: header.captureTicks = nil
            case .timesStand: header.captureTicks = 123_456_789
            case .randomTimes: header.captureTicks = chance
            case .zeroTimes: header.captureTicks = 0
            }
        }

        /// The output of a step of PCG-RXS-M-XS-32.
        private static func withoutOrder(_ number: UInt32) -> UInt32 {
            let state = number &* 747_796_405 &+ 2_891_336_453
            let word = ((state >> ((state >> 28) + 4)) ^ state) &* 277_803_737
            return (word >> 22) ^ word
        }
    }

    @Test("A camera that numbers frames by its own clock is refused when that has drifted away") func drift() {
        var camera = SimulatedUVCCamera()
        var run = UVCClockRun(camera)
        // 500 ppm slow.
        run.run(&camera, 0..<600) { headers, number in
            let lost = UInt16(Double(number) * 33.3667 * 500e-6)
            for place in headers.indices { headers[place].reading?.usbFrame &-= lost }
        }
        #expect(run.clock.state == .refused(.cameraFrames))
        #expect(run.farthest < .milliseconds(7))
    }

    @Test("A driver's time of another clock is not used") func otherTimeLine() {
        var camera = SimulatedUVCCamera()
        var run = UVCClockRun(camera)
        run.run(&camera, 0..<250) { headers, _ in
            for place in headers.indices { headers[place].arrival = headers[place].arrival + .seconds(3600) }
        }
        #expect(run.clock.state == .refused(.noReadings) && run.placed == 0)
    }
}

@Suite("Reads the headers of payloads as the kernel delivers them") struct UVCPayloadHeaderTests {
    /// `struct uvc_meta_buf`: the driver's time and USB frame, then the header's length, flags and fields.
    private func bytes(
        _ nanoseconds: UInt64, usbFrame: UInt16, length: UInt8, flags: UInt8, fields: [UInt8]
    ) -> [UInt8] {
        let time = (0..<8).map { UInt8(truncatingIfNeeded: nanoseconds >> (8 * UInt64($0))) }
        return time + [UInt8(truncatingIfNeeded: usbFrame), UInt8(usbFrame >> 8), length, flags] + fields
    }

    private let fields: [UInt8] = [0x78, 0x56, 0x34, 0x12, 0xef, 0xcd, 0xab, 0x89, 0xff, 0xff]

    @Test("Each field is where its flag says") func fieldsOfFlags() {
        let whole = bytes(5_000_000_001, usbFrame: 0x1234, length: 12, flags: 0x8d, fields: fields)
        let timeOnly = bytes(6, usbFrame: 1, length: 6, flags: 0x84, fields: Array(fields[..<4]))
        let readingOnly = bytes(7, usbFrame: 2, length: 8, flags: 0x88, fields: Array(fields[4...]))
        let none = bytes(8, usbFrame: 3, length: 2, flags: 0x80, fields: [])
        #expect(
            UVCPayloadHeader.all(in: whole + timeOnly + readingOnly + none) == [
                UVCPayloadHeader(
                    arrival: LocalTime(nanoseconds: 5_000_000_001), usbFrame: 0x1234, captureTicks: 0x1234_5678,
                    reading: .init(ticks: 0x89ab_cdef, usbFrame: 0x7ff)),
                UVCPayloadHeader(arrival: LocalTime(nanoseconds: 6), usbFrame: 1, captureTicks: 0x1234_5678),
                UVCPayloadHeader(
                    arrival: LocalTime(nanoseconds: 7), usbFrame: 2,
                    reading: .init(ticks: 0x89ab_cdef, usbFrame: 0x7ff)),
                UVCPayloadHeader(arrival: LocalTime(nanoseconds: 8), usbFrame: 3),
            ])
    }

    @Test("A header with a maker's fields has the standard ones; one that is shorter than its flags say is left out")
    func lengths() {
        let long = bytes(1, usbFrame: 1, length: 40, flags: 0x8c, fields: fields)
        let short = bytes(2, usbFrame: 2, length: 6, flags: 0x8c, fields: fields)
        let read = UVCPayloadHeader.all(in: short + long + short + long)
        #expect(read.map(\.arrival.nanoseconds) == [1, 1] && read.allSatisfy { $0.reading != nil })
    }

    @Test("A buffer that is cut anywhere gives the headers before the cut") func cut() {
        let header = bytes(1, usbFrame: 1, length: 12, flags: 0x8c, fields: fields)
        let buffer = header + header + header
        for count in 0...buffer.count {
            #expect(UVCPayloadHeader.all(in: Array(buffer[..<count])).count == count / header.count)
        }
    }

    @Test("A time beyond the clock's end is left out") func time() {
        #expect(UVCPayloadHeader.all(in: bytes(.max, usbFrame: 1, length: 2, flags: 0, fields: [])) == [])
    }
}

@Suite("The metadata of a frame are those of its number") struct UVCFrameHeadersTests {
    private func header(_ number: UInt16) -> UVCPayloadHeader {
        UVCPayloadHeader(arrival: LocalTime(nanoseconds: 1), usbFrame: number)
    }

    @Test("Other frames' metadata are not taken for a frame's, and wait for theirs") func numbers() {
        var headers = UVCFrameHeaders()
        headers.add([header(1)], of: 1)
        headers.add([header(3)], of: 3)
        #expect(headers.remove(of: 2) == [])
        #expect(headers.remove(of: 3) == [header(3)])
        #expect(headers.remove(of: 3) == [])
        // Of a frame that is past.
        headers.add([header(1)], of: 1)
        #expect(headers.remove(of: 4) == [] && headers == UVCFrameHeaders())
    }

    @Test("Numbers wrap") func wrap() {
        var headers = UVCFrameHeaders()
        headers.add([header(1)], of: .max)
        headers.add([header(2)], of: 0)
        headers.add([header(3)], of: 1)
        #expect(headers.remove(of: .max) == [header(1)])
        #expect(headers.remove(of: 0) == [header(2)])
        #expect(headers.remove(of: 1) == [header(3)])
    }

    @Test("Metadata of frames that never come are bounded") func bounded() {
        var headers = UVCFrameHeaders()
        for number in 100..<200 { headers.add([header(UInt16(number))], of: UInt32(number)) }
        #expect(headers.remove(of: 183) == [])
        #expect(headers.remove(of: 184) == [header(184)])
    }
}
